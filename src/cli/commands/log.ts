import { streamLog } from '../../api/v1/server/log-schema.ts';
import { errorCode } from '../../kernel/error-code.ts';
import { serverLogFile } from '../../platform/home/server-log-file.ts';
import { printable } from '../../kernel/printable.ts';
import { ServerUnreachableError } from '../client/client-error.ts';
import type { Client } from '../client/client.ts';
import { connect } from '../client/connect.ts';
import { defineCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { CommandError } from '../failure.ts';
import { createLogFilter, parseLogLine } from '../log/log-filter.ts';
import { readLogFile } from '../log/read-log-file.ts';
import { choice, connectionOptions, flag, integer, text } from '../option.ts';

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
    const { createTextLog } = await import('../../telemetry/text-log.ts');
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

/** The lines of the running server, or else of the file of the background server. */
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
