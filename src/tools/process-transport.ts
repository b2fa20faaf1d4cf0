import { resolve as resolvePath } from 'node:path';
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import {
  parseJSONRPCMessage,
  serializeMessage,
  type JSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/client';
import type { Logger } from '../observability/logger.ts';
import { killGroup } from '../processes/kill-group.ts';
import { LineRing } from '../processes/line-ring.ts';
import { withoutFolders } from '../processes/without-folders.ts';
import { LineSplitter, LineTooLongError } from './line-splitter.ts';
import type { TransportBounds } from './transport-bounds.ts';
import type { PluginConfiguration } from './plugin-file.ts';
import { pluginEnvironment } from './plugin-environment.ts';

/** Kills the processes that are left should this one be killed. */
export interface ProcessGuard {
  guard(pid: number): void;
  release(pid: number): void;
}

export interface ProcessTransportOptions {
  readonly plugin: Extract<PluginConfiguration, { type: 'process' }>;
  /** Where the plugin says nothing else; a relative folder of it starts here. */
  readonly workingFolder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly bounds: TransportBounds;
  /** Time to end by itself after SIGTERM. */
  readonly stopGraceMs: number;
  readonly logger: Logger;
  readonly guard?: ProcessGuard;
}

const maxErrorLines = 20;
const maxErrorLineCharacters = 500;
const maxLoggedLines = 200;
/** Time for what is still in the pipes of a process that has ended. */
const lastWordsMs = 250;

/**
 * MCP over the standard input and output of a child process: a JSON message a line. The process has a group of
 * its own, and all of that group goes when the connection does.
 */
export class ProcessTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: JSONRPCMessage) => void) | undefined;

  readonly #options: ProcessTransportOptions;
  readonly #lines: LineSplitter;
  readonly #errorOutput = new LineRing(maxErrorLines, maxErrorLineCharacters);
  #child: ChildProcessWithoutNullStreams | undefined;
  #gone: Promise<void> = Promise.resolve();
  #settleEnded = (): void => {};
  readonly ended = new Promise<void>((resolve) => {
    this.#settleEnded = resolve;
  });
  #receivedBytes = 0;
  #loggedLines = 0;
  #failure: string | undefined;
  #hasToldClosed = false;

  constructor(options: ProcessTransportOptions) {
    this.#options = options;
    this.#lines = new LineSplitter(options.bounds.maxMessageBytes);
  }

  /** Why the connection was lost; undefined while it stands or where nobody knows. */
  get failure(): string | undefined {
    return this.#failure;
  }

  async start(): Promise<void> {
    const { plugin, environment, workingFolder, guard } = this.#options;
    const child = spawn(plugin.command, plugin.arguments, {
      cwd: resolvePath(workingFolder, plugin.workingFolder ?? ''),
      env: pluginEnvironment(environment, plugin.environment),
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
    });
    this.#child = child;
    child.stdout.on('data', (chunk: Buffer) => this.#receive(chunk));
    child.stderr.setEncoding('utf8').on('data', (text: string) => this.#noteErrorOutput(text));
    // It may go while we write to it; `exit` tells.
    child.stdin.on('error', () => {});
    this.#gone = this.#untilGone(child);
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', () => {
        if (child.pid !== undefined) guard?.guard(child.pid);
        resolve();
      });
      child.once('error', (error: NodeJS.ErrnoException) => {
        const code = error.code ?? 'unknown';
        const fault = code === 'ENOENT' ? 'is not there' : "can't be used";
        this.#failure ??= `its command, or the folder to run it in, ${fault} (${code})`;
        this.#settleEnded();
        reject(error);
      });
    });
  }

  /** Settles when the process has gone and its last words are read. */
  async #untilGone(child: ChildProcessWithoutNullStreams): Promise<void> {
    const { pid } = child;
    if (pid === undefined) return;
    const closed = new Promise<void>((resolve) => {
      child.once('close', () => resolve());
    });
    const [exitCode, signal] = await new Promise<[number | null, NodeJS.Signals | null]>(
      (resolve) => {
        child.once('exit', (...end) => resolve(end));
      },
    );
    // What it started would live on.
    killGroup(pid, 'SIGKILL');
    this.#options.guard?.release(pid);
    this.#settleEnded();
    // A process that left the group may hold the pipes open.
    const patience = setTimeout(() => {
      child.stdout.destroy();
      child.stderr.destroy();
    }, lastWordsMs);
    await closed;
    clearTimeout(patience);
    const lastLine = this.#errorOutput.lines().at(-1);
    const words = lastLine === undefined ? '' : `: ${withoutFolders(lastLine).trim()}`;
    const end = signal === null ? `exit code ${exitCode}` : `ended by ${signal}`;
    this.#failure ??= `its process has gone (${end})${words}`;
    this.#tellClosed();
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
    if (child?.pid === undefined) return this.#settleEnded();
    const { pid } = child;
    child.stdin.end();
    if (child.exitCode !== null || child.signalCode !== null) return this.#gone;
    killGroup(pid, 'SIGTERM');
    const grace = setTimeout(() => killGroup(pid, 'SIGKILL'), this.#options.stopGraceMs);
    await this.#gone;
    clearTimeout(grace);
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

  /** Words that are no message are let be: programs print to their output what belongs in a log. */
  #deliver(line: string): void {
    if (!line.startsWith('{')) return this.#log(line, 'a plugin wrote what is no message');
    let message: JSONRPCMessage;
    try {
      message = parseJSONRPCMessage(JSON.parse(line));
    } catch {
      return this.#log(line, 'a plugin wrote a message that is not valid');
    }
    this.onmessage?.(message);
  }

  #abandon(failure: string): void {
    this.#failure = failure;
    this.#child?.stdout.destroy();
    this.#tellClosed();
    void this.close();
  }

  #tellClosed(): void {
    if (this.#hasToldClosed) return;
    this.#hasToldClosed = true;
    this.onclose?.();
  }

  #noteErrorOutput(text: string): void {
    this.#errorOutput.append(text);
    this.#log(text, 'a plugin wrote to its error output');
  }

  #log(text: string, message: string): void {
    this.#loggedLines += 1;
    if (this.#loggedLines > maxLoggedLines) return;
    this.#options.logger.debug({ text: text.slice(0, maxErrorLineCharacters) }, message);
  }
}
