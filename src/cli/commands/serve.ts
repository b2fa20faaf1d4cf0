import { once } from 'node:events';
import { resolve } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { loadSettings } from '../../settings/settings.ts';
import { withLogFile } from '../background/log-file.ts';
import { formatStartMessage } from '../background/start-message.ts';
import { warnOfIgnoredSettings } from '../background/unknown-variables.ts';
import { defineCommand, type ExitCode } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { Interruption } from '../failure.ts';
import { text } from '../option.ts';
import { serveOptions, settingsFromFlags, type ServeValues } from '../serve-options.ts';
import { createInstallView } from '../ui/install-progress.ts';
import { createMigrationView } from '../ui/migration-progress.ts';

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
  // The old generation is collected when it has grown by a fifth. By default V8 lets it double: what streams leave behind
  // took 50 MB after 2,000 requests. A collection takes some 10 ms, on threads of its own for the most part. The start
  // itself needs the memory that it takes, and collecting it meanwhile took a tenth of its time.
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
