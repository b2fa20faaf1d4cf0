import { loadSettings } from '../../settings/settings.ts';
import { formatStartMessage } from '../background/start-message.ts';
import { defineCommand } from '../command.ts';
import { warnOfIgnoredSettings } from '../background/unknown-variables.ts';
import { findServer } from '../background/find-server.ts';
import { integer, jsonOption } from '../option.ts';
import {
  serveOptions,
  settingsFromFlags,
  toCommandLine,
  toSecretVariables,
} from '../serve-options.ts';
import { startInBackground } from '../background/start-in-background.ts';
import { withElapsed } from '../ui/elapsed.ts';

export const serverStart = defineCommand({
  options: {
    ...serveOptions,
    timeout: integer(
      '--timeout <seconds>',
      'How long to wait until the server is ready (default: 30)',
      1,
      3600,
    ),
    ...jsonOption,
  },
  examples: ['hearth server start', 'hearth server start --port 8080'],
  async run({ context, options }) {
    const { home, terminal } = context;
    const { output, messages } = terminal;
    const environment = { ...context.environment, ...toSecretVariables(options) };
    // Rejects an invalid setting here, where its message is not part of a log.
    const flags = settingsFromFlags(options);
    const settings = await loadSettings({ home, environment, flags });
    const running = await findServer(home);
    const record =
      running ??
      (await withElapsed(messages, 'Starting the server', () =>
        startInBackground(
          { ...context, environment },
          toCommandLine(options),
          (options.timeout ?? 30) * 1000,
        ),
      ));
    if (options.json === true) {
      output.json(record);
    } else if (running !== undefined) {
      output.line(`Hearth is already running on ${record.url} (pid ${record.pid})`);
    } else {
      output.line(`Hearth is listening on ${record.url}`);
      warnOfIgnoredSettings(context, options);
      messages.line(
        formatStartMessage(record.url, {
          host: settings['server.host'],
          isTokenRequired: settings['auth.required'],
        }),
      );
    }
  },
});
