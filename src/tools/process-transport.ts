import { resolve as resolvePath } from 'node:path';
import {
  type JSONRPCMessage,
  parseJSONRPCMessage,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/client';
import type { Logger } from '../kernel/logger.ts';
import { filterEnvironment } from '../platform/processes/filter-environment.ts';
import {
  type ChildExit,
  type ManagedChild,
  type ProcessGuard,
  startManagedChild,
} from '../platform/processes/managed-child.ts';
import { proxiesWithoutCredentials } from '../platform/net/proxy-environment.ts';
import { withoutFolders } from '../platform/processes/without-folders.ts';
import type { McpTransport, TransportBounds } from './mcp-transport.ts';
import type { PluginConfiguration } from './plugin-file.ts';
import { TooManyValuesError, ValueMeter } from './value-meter.ts';

interface ProcessTransportOptions {
  readonly plugin: Extract<PluginConfiguration, { type: 'process' }>;
  /** Default working folder, to which relative folders of plugins refer. */
  readonly workingFolder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly bounds: TransportBounds;
  /** Time to exit after SIGTERM. */
  readonly stopGraceMs: number;
  readonly logger: Logger;
  readonly guard?: ProcessGuard | undefined;
}

const maxLineCharacters = 500;
const stderrTail = { maxLines: 20, maxLineCharacters };
const maxLoggedLines = 200;

/**
 * Variables with which programs find other programs, the user's folders and the language. Others are not passed, so
 * that plugins get no secrets.
 */
const inheritedVariables = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'LC_ALL',
  'TZ',
  'TMPDIR',
  'TEMP',
  'TMP',
  'APPDATA',
  'COMSPEC',
  'LOCALAPPDATA',
  'PATHEXT',
  'PROGRAMDATA',
  'PROGRAMFILES',
  'SystemRoot',
  'USERPROFILE',
  // Certificates for proxies in the user's network.
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'REQUESTS_CA_BUNDLE',
  'CURL_CA_BUNDLE',
];

/** Connects to a plugin that runs as a child process. */
export function createProcessMcpTransport(
  options: ProcessTransportOptions,
): McpTransport & { readonly ended: Promise<void> } {
  const transport = new ProcessTransport(options);
  return {
    transports: [() => transport],
    // Never rejects, since the protocol client detects the exit of the process itself.
    broken: new Promise<never>(() => {}),
    failure: () => transport.failure,
    /** Settles when the process has exited or could not be started, or the transport is closed before the start. */
    ended: transport.ended,
    close: () => transport.close(),
  };
}

/** MCP over the standard input and output of a child process: one JSON message per line. */
class ProcessTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: JSONRPCMessage) => void) | undefined;

  readonly #options: ProcessTransportOptions;
  readonly #lines: LineSplitter;
  #child: ManagedChild | undefined;
  #settleEnded = (): void => {};
  readonly ended = new Promise<void>((resolve) => {
    this.#settleEnded = resolve;
  });
  #receivedBytes = 0;
  #loggedLines = 0;
  #failure: string | undefined;
  #hasReportedClose = false;

  constructor(options: ProcessTransportOptions) {
    this.#options = options;
    this.#lines = new LineSplitter(options.bounds.maxMessageBytes);
  }

  /** The reason why the connection was lost; undefined while it is open or if the reason is unknown. */
  get failure(): string | undefined {
    return this.#failure;
  }

  async start(): Promise<void> {
    const { plugin, environment, workingFolder, stopGraceMs, guard } = this.#options;
    const child = startManagedChild({
      command: plugin.command,
      arguments: plugin.arguments,
      environment: {
        ...filterEnvironment(environment, inheritedVariables),
        ...proxiesWithoutCredentials(environment),
        ...plugin.environment,
      },
      workingFolder: resolvePath(workingFolder, plugin.workingFolder ?? ''),
      stdin: 'pipe',
      onStdout: (chunk) => this.#receive(chunk),
      onStderr: (chunk) => this.#log(chunk.toString(), 'plugin wrote to stderr'),
      stopGraceMs,
      stderrTail,
      guard,
    });
    this.#child = child;
    void child.exited.then((exit) => this.#noteExit(exit, child.stderrTail().at(-1)));
    if (child.pid !== undefined) return;
    const { error } = await child.exited;
    throw error ?? new Error('not started');
  }

  #noteExit({ exitCode, signal, error }: ChildExit, lastLine: string | undefined): void {
    if (error === undefined) {
      const end = signal === null ? `exit code ${exitCode}` : `ended by ${signal}`;
      const detail = lastLine === undefined ? '' : `: ${withoutFolders(lastLine).trim()}`;
      this.#failure ??= `its process has gone (${end})${detail}`;
    } else {
      const code = error.code ?? 'unknown';
      const fault = code === 'ENOENT' ? 'is not there' : "can't be used";
      this.#failure ??= `its command, or the folder to run it in, ${fault} (${code})`;
    }
    this.#settleEnded();
    this.#reportClose();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (stdin === undefined || !stdin.writable) throw new Error('not connected');
    this.#receivedBytes = 0;
    if (stdin.write(serializeMessage(message))) return;
    await new Promise<void>((resolve) => {
      stdin.once('drain', resolve);
      stdin.once('close', resolve);
    });
  }

  async close(): Promise<void> {
    const child = this.#child;
    if (child === undefined) return this.#settleEnded();
    // A server over stdio exits when its input ends (MCP, transports, stdio).
    child.stdin?.end();
    await child.stop();
  }

  #receive(chunk: Buffer): void {
    if (this.#failure !== undefined) return;
    this.#receivedBytes += chunk.length;
    const { maxMessageBytes, maxUnaskedBytes } = this.#options.bounds;
    if (this.#receivedBytes > maxUnaskedBytes) {
      return this.#abandon(`it sent more than ${maxUnaskedBytes} bytes without being asked`);
    }
    try {
      for (const line of this.#lines.push(chunk)) this.#deliver(line);
    } catch (error) {
      if (!(error instanceof LineTooLongError)) throw error;
      this.#abandon(`it sent a message of more than ${maxMessageBytes} bytes`);
    }
  }

  /** Ignores lines that are not JSON-RPC: programs print log lines to stdout. */
  #deliver(line: string): void {
    if (!line.startsWith('{')) return this.#log(line, 'plugin wrote a line that is not JSON-RPC');
    try {
      new ValueMeter(this.#options.bounds.maxMessageValues).add(Buffer.from(line));
    } catch (error) {
      if (!(error instanceof TooManyValuesError)) throw error;
      return this.#abandon(`it sent ${error.message}`);
    }
    let message: JSONRPCMessage;
    try {
      message = parseJSONRPCMessage(JSON.parse(line));
    } catch {
      return this.#log(line, 'plugin wrote an invalid JSON-RPC message');
    }
    this.onmessage?.(message);
  }

  #abandon(failure: string): void {
    this.#failure = failure;
    this.#child?.discardOutput();
    this.#reportClose();
    void this.close();
  }

  #reportClose(): void {
    if (this.#hasReportedClose) return;
    this.#hasReportedClose = true;
    this.onclose?.();
  }

  #log(text: string, message: string): void {
    this.#loggedLines += 1;
    if (this.#loggedLines > maxLoggedLines) return;
    this.#options.logger.debug({ text: text.slice(0, maxLineCharacters) }, message);
  }
}

/** A line is longer than the bound. */
class LineTooLongError extends Error {
  override readonly name = 'LineTooLongError';
}

const newline = 0x0a;

/** Splits a stream of bytes into lines. Buffers at most one line, of bounded length. */
class LineSplitter {
  readonly #maxBytes: number;
  #pieces: Buffer[] = [];
  #heldBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * Yields the lines that the chunk completes, without their line breaks.
   *
   * @throws LineTooLongError
   */
  *push(chunk: Buffer): Generator<string> {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(newline, start);
      const piece = chunk.subarray(start, end === -1 ? undefined : end);
      this.#heldBytes += piece.length;
      if (this.#heldBytes > this.#maxBytes) throw new LineTooLongError();
      if (piece.length > 0) this.#pieces.push(piece);
      if (end === -1) return;
      const line = Buffer.concat(this.#pieces, this.#heldBytes).toString();
      this.#pieces = [];
      this.#heldBytes = 0;
      start = end + 1;
      yield line;
    }
  }
}
