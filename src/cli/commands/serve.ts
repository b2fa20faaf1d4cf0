import { once } from 'node:events';
import { dirname, resolve } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { loadSettings } from '../../settings/settings.ts';
import { formatStartMessage } from '../background/start-message.ts';
import {
  serveOptions,
  type ServeValues,
  settingsFromFlags,
  warnOfIgnoredSettings,
} from '../serve-options.ts';
import { defineCommand, type ExitCode, type CommandContext } from '../command.ts';
import { describeFailure, Interruption } from '../failure.ts';
import { text } from '../option.ts';
import { createInstallView, createMigrationView } from '../ui/progress.ts';
import { openSync, writeSync } from 'node:fs';
import { Writable } from 'node:stream';
import { inspect } from 'node:util';
import { createPrivateFolder } from '../../platform/files/create-private-folder.ts';
import { createTerminal, type Terminal } from '../ui/terminal.ts';

export const serve = defineCommand({
  options: {
    ...serveOptions,
    recordFolder: text(
      '--record-folder <folder>',
      'Also write the address of the server to this folder, for all users of the machine',
    ),
    logFile: text(
      '--log-file <file>',
      'Write the log and all messages to this file, which is rotated, instead of stderr',
    ),
  },
  examples: [
    'hearth serve',
    'hearth serve --port 8080 --models-dir /data/models',
    'hearth serve --preload hearth/starter-chat',
  ],
  async run({ context, options }) {
    const { logFile } = options;
    if (logFile === undefined) return runServer(context, options);
    const file = resolve(logFile);
    return withLogFile(file, context, (terminal) =>
      runServer({ ...context, terminal }, options, file),
    );
  },
});

type ServeOptions = ServeValues & { readonly recordFolder: string | undefined };

async function runServer(
  context: CommandContext,
  options: ServeOptions,
  logFile?: string,
): Promise<ExitCode> {
  const { startServer } = await import('../../server/serve.ts');
  const { home, environment, signal, terminal } = context;
  const { output, messages } = terminal;
  const flags = settingsFromFlags(options);
  warnOfIgnoredSettings(context, options);
  const installation = createInstallView(messages);
  const migration = createMigrationView(messages);
  const server = await startServer({
    home,
    environment,
    flags,
    recordFolder: options.recordFolder,
    logFile,
    allowUnauthenticated: options.allowUnauthenticated === true,
    isLogForTerminal: messages.isInteractive,
    onProgress: (event) => {
      if (event.type === 'runtime.install') installation.show(event.progress);
      else migration.show(event.fraction);
    },
  }).finally(() => migration.stop());
  context.keepCompiledCode?.();
  // Collects the old generation when it has grown by a fifth. By default V8 lets it double, and the garbage of streams
  // took 50 MB after 2,000 requests. A collection takes about 10 ms, mostly on other threads. The flag is set after the
  // start, which needs its memory anyway and was a tenth slower with the flag.
  setFlagsFromString('--heap-growing-percent=20');
  try {
    output.line(`Hearth is listening on ${server.url}`);
    const settings = await loadSettings({ home, environment, flags });
    messages.line(
      formatStartMessage(server.url, {
        host: settings['server.host'],
        isTokenRequired: settings['auth.required'],
      }),
    );
    await Promise.race([aborted(signal), server.closed]);
  } finally {
    if (signal.aborted && messages.isInteractive) {
      messages.line('\nPress Ctrl-C again to exit immediately.');
    }
    installation.stop();
    await server.close();
  }
  const isInterrupted =
    signal.reason instanceof Interruption && signal.reason.stoppedBy === 'SIGINT';
  return isInterrupted ? 130 : 0;
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}

/**
 * Runs work whose messages, including the error that ends it, go to a file: a service manager may not keep output.
 *
 * @param file Absolute path. If the file is new, only its owner can read it.
 */
export async function withLogFile<Result>(
  file: string,
  { environment }: CommandContext,
  work: (terminal: Terminal) => Promise<Result>,
): Promise<Result> {
  await createPrivateFolder(dirname(file));
  const descriptor = openSync(file, 'a', 0o600);
  const append = (part: string | Buffer): void => {
    try {
      writeSync(descriptor, Buffer.from(part));
    } catch {
      // The failure can't be reported: this is the log.
    }
  };
  // Node.js writes uncaught exceptions to stderr only.
  process.on('uncaughtExceptionMonitor', (error) => append(`${inspect(error)}\n`));
  const stream = new Writable({
    write: (chunk: Buffer, _, done) => {
      append(chunk);
      done();
    },
  });
  try {
    return await work(createTerminal({ stdout: stream, stderr: stream, environment }));
  } catch (error) {
    const message = describeFailure(error);
    if (message !== undefined) append(`error: ${message}\n`);
    throw error;
  }
}
