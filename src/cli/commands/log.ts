import { type FileHandle, open, stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { errorCode } from '../../kernel/error-code.ts';
import { streamLog } from '../../api/v1/server/log-schema.ts';
import { serverLogFile } from '../../platform/home/server-log-file.ts';
import { printable } from '../../kernel/printable.ts';
import { ServerUnreachableError } from '../client/client-error.ts';
import type { Client } from '../client/client.ts';
import { connect } from '../client/connect.ts';
import { type CommandContext, defineCommand } from '../command.ts';
import { CommandError } from '../failure.ts';
import { choice, connectionOptions, flag, integer, text } from '../option.ts';

/** A line of the log; undefined for text that Hearth did not log, such as a message of Node. */
export type LogLine = Readonly<Record<string, unknown>>;

export interface LogFilterOptions {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  /** Key of a model or id of an instance. */
  readonly model: string | undefined;
  readonly requestId: string | undefined;
  /** True to show the prompts and outputs of generations. */
  readonly showsPrompts: boolean;
}

const ranks = { debug: 20, info: 30, warn: 40, error: 50 } as const;
const maxRequests = 10_000;

/** Returns a function that is called with each line in order, and decides whether the line is shown. */
export function createLogFilter(options: LogFilterOptions): (line: LogLine | undefined) => boolean {
  const { level, model, requestId, showsPrompts } = options;
  /** Ids of requests that used the model, since the last line of a request does not name it. */
  const ofModel = new Set<unknown>();
  const isAboutModel = (line: LogLine): boolean => {
    if (line['model'] === model || line['instance'] === model) {
      if (line['requestId'] !== undefined) ofModel.add(line['requestId']);
      if (ofModel.size > maxRequests) ofModel.delete(ofModel.keys().next().value);
      return true;
    }
    return ofModel.has(line['requestId']);
  };
  return (line) => {
    if (line === undefined) return model === undefined && requestId === undefined;
    const matches = model === undefined || isAboutModel(line);
    if (!matches || (requestId !== undefined && line['requestId'] !== requestId)) return false;
    if (line['msg'] === 'prompt' && !showsPrompts) return false;
    const rank = ranks[line['level'] as keyof typeof ranks] ?? ranks.info;
    return rank >= ranks[level];
  };
}

/** Undefined if the text is not a line of the JSON log. */
export function parseLogLine(line: string): LogLine | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line) as LogLine;
  } catch {
    return undefined;
  }
}

const pollMs = 250;
const chunkBytes = 64 * 1024;
/** Bytes at the end of a file that are searched for the latest lines. */
const maxTailBytes = 16 * 1024 * 1024;

interface ReadLogOptions {
  /** Maximum number of lines to begin with. */
  readonly lines: number;
  readonly follows: boolean;
  readonly signal: AbortSignal;
}

/**
 * Yields the latest lines of a log file, and then new ones until the signal aborts. If the file has too few lines,
 * begins with lines of the rotated file (`.1`). If the file is truncated, rotated or created meanwhile, reads it from
 * its beginning.
 *
 * @throws Error with the code ENOENT if there is no file and `follows` is false.
 */
export async function* readLogFile(
  file: string,
  { lines, follows, signal }: ReadLogOptions,
): AsyncGenerator<string> {
  // An incomplete line is read once its end is written.
  const latest = await readTail(file, { wholeLines: follows }).catch((error: unknown) => {
    if (follows && errorCode(error) === 'ENOENT') return { lines: [] as string[], sizeBytes: 0 };
    throw error;
  });
  if (latest.lines.length < lines) {
    const before = await readTail(`${file}.1`).catch(() => ({ lines: [] as string[] }));
    latest.lines.unshift(...before.lines);
  }
  yield* lines === 0 ? [] : latest.lines.slice(-lines);
  if (follows) yield* follow(file, latest.sizeBytes, signal);
}

async function readTail(
  file: string,
  { wholeLines = false } = {},
): Promise<{ lines: string[]; readonly sizeBytes: number }> {
  const handle = await open(file);
  try {
    const { size: sizeBytes } = await handle.stat();
    const start = Math.max(0, sizeBytes - maxTailBytes);
    const buffer = Buffer.alloc(sizeBytes - start);
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, start);
    const end = wholeLines ? buffer.lastIndexOf(0x0a, bytesRead - 1) + 1 : bytesRead;
    const lines = buffer.toString('utf8', 0, end).split('\n').filter(Boolean);
    // The first line may be cut, so it is dropped.
    return { lines: start > 0 ? lines.slice(1) : lines, sizeBytes: start + end };
  } finally {
    await handle.close();
  }
}

async function* follow(file: string, from: number, signal: AbortSignal): AsyncGenerator<string> {
  let position = from;
  let rest = Buffer.alloc(0);
  while (!signal.aborted) {
    const sizeBytes = await stat(file).then(
      ({ size }) => size,
      () => 0,
    );
    if (sizeBytes < position) position = 0;
    if (sizeBytes === position) {
      await delay(pollMs, undefined, { signal }).catch(() => {});
      continue;
    }
    const handle = await open(file);
    try {
      const read = await readChunk(handle, position);
      position += read.length;
      rest = Buffer.concat([rest, read]);
    } finally {
      await handle.close();
    }
    const end = rest.lastIndexOf(0x0a) + 1;
    yield* rest.subarray(0, end).toString('utf8').split('\n').filter(Boolean);
    rest = rest.subarray(end);
  }
}

async function readChunk(handle: FileHandle, position: number): Promise<Buffer<ArrayBuffer>> {
  const buffer = Buffer.alloc(chunkBytes);
  const { bytesRead } = await handle.read(buffer, 0, chunkBytes, position);
  return buffer.subarray(0, bytesRead);
}

export const log = defineCommand({
  options: {
    follow: flag('-f, --follow', 'Print new lines until interrupted'),
    lines: integer(
      '-n, --lines <count>',
      'Number of latest lines to read (default: 100)',
      0,
      10_000,
    ),
    level: choice('--level <level>', 'Minimum severity', ['debug', 'info', 'warn', 'error']),
    model: text('--model <model>', 'Only lines about this model or instance'),
    request: text('--request <id>', 'Only lines of the request with this X-Request-Id'),
    prompts: flag(
      '--prompts',
      'Show prompts and outputs (the server records them if log.prompts is on)',
    ),
    json: flag('--json', 'Print one JSON object per line'),
    ...connectionOptions,
  },
  examples: [
    'hearth log -f',
    'hearth log --prompts --model hearth/starter-chat',
    'hearth log --json -n 1000',
  ],
  async run({ context, options }) {
    const { signal, terminal } = context;
    const { output, messages } = terminal;
    const stopped = AbortSignal.any([signal, terminal.outputClosed]);
    const { lines = 100, follow: follows = false } = options;
    const isShown = createLogFilter({
      level: options.level ?? 'info',
      model: options.model,
      requestId: options.request,
      showsPrompts: options.prompts === true,
    });
    const { createTextLog } = await import('../../server/offline/log.ts');
    const textLog = createTextLog({
      write: (part) => output.line(part.trimEnd()),
      hasColors: output.isInteractive && (context.environment['NO_COLOR'] ?? '') === '',
    });
    if (options.prompts === true && follows) {
      messages.line('Prompts are shown if the server records them (log.prompts).');
    }
    let hasPrompts = false;
    const source = { lines, follows, signal: stopped };
    for await (const line of await readLines(context, options, source)) {
      const parsed = parseLogLine(line);
      if (!isShown(parsed)) continue;
      hasPrompts ||= parsed?.['msg'] === 'prompt';
      if (options.json === true) output.line(JSON.stringify(parsed ?? { msg: line }));
      else if (parsed === undefined) output.line(printable(line));
      else textLog.write(line);
    }
    if (options.prompts === true && !hasPrompts && !follows) {
      messages.line('No prompts are recorded. Turn log.prompts on and restart the server.');
    }
    signal.throwIfAborted();
  },
});

interface LineSource {
  readonly lines: number;
  readonly follows: boolean;
  readonly signal: AbortSignal;
}

/** Reads the log of the running server, or else the log file of the background server. */
async function readLines(
  context: CommandContext,
  options: { readonly host?: string | undefined; readonly token?: string | undefined },
  source: LineSource,
): Promise<AsyncIterable<string>> {
  try {
    const client = await connect(context, { ...options, isForAdmin: true });
    return fromServer(client, source);
  } catch (error) {
    const isElsewhere = options.host !== undefined || context.environment['HEARTH_HOST'];
    if (!(error instanceof ServerUnreachableError) || isElsewhere) throw error;
    return fromFile(serverLogFile(context.home), source, error);
  }
}

async function* fromServer(
  client: Client,
  { lines, follows, signal }: LineSource,
): AsyncGenerator<string> {
  const query = { lines, follow: String(follows) };
  try {
    for await (const line of client.stream(streamLog, { query }, signal))
      yield JSON.stringify(line);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

async function* fromFile(
  file: string,
  source: LineSource,
  unreachable: ServerUnreachableError,
): AsyncGenerator<string> {
  try {
    yield* readLogFile(file, source);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    throw new CommandError(
      `${unreachable.message} There is no log of an earlier server either: ${file}`,
    );
  }
}
