import { loadSettings } from '../../settings/settings.ts';
import { formatStartMessage } from '../background/start-message.ts';
import { type CommandContext, defineCommand } from '../command.ts';
import {
  serveOptions,
  settingsFromFlags,
  toCommandLine,
  toSecretVariables,
  warnOfIgnoredSettings,
} from '../serve-options.ts';
import { findServer, startInBackground } from '../background/start-in-background.ts';
import { integer, jsonOption } from '../option.ts';
import { withElapsed } from '../ui/progress.ts';
import { setTimeout as delay } from 'node:timers/promises';
import { SettingsError } from '../../settings/settings-error.ts';
import { isHomeInUse } from '../../platform/home/home-lock.ts';
import { readServerRecord, type ServerRecord } from '../../platform/home/server-record.ts';
import { CommandError } from '../failure.ts';
import { stopServer } from '../../api/v1/server/status-schema.ts';
import { readHomeId } from '../../platform/home/home-id.ts';
import { readOwnerToken } from '../../platform/home/owner-token.ts';
import { ApiError, ServerUnreachableError } from '../client/client-error.ts';
import { createClient } from '../client/client.ts';
import { probeServer } from '../client/probe-server.ts';

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
    // Rejects an invalid setting here, since the server would only write the message to its log.
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

export const serverStatus = defineCommand({
  options: jsonOption,
  examples: ['hearth server status', 'hearth server status --json'],
  async run({ context, options }) {
    const { output } = context.terminal;
    const found = await findServer(context.home);
    if (options.json === true) output.json({ running: found !== undefined, ...found });
    else if (found === undefined) output.line('Hearth is not running.');
    else output.line(`Hearth is running on ${found.url} (pid ${found.pid})`);
    return found === undefined ? 1 : 0;
  },
});

const pollMs = 50;

export const serverStop = defineCommand({
  options: {
    timeout: integer(
      '--timeout <seconds>',
      'How long to wait until the server has stopped (default: limits.shutdownSeconds + 10)',
      1,
      3600,
    ),
  },
  examples: ['hearth server stop', 'hearth server stop --timeout 120'],
  async run({ context, options }) {
    const { home, signal, terminal } = context;
    const found = await findServer(home);
    if (found === undefined) {
      terminal.messages.line('Hearth is not running.');
      return;
    }
    const { pid } = found;
    const timeoutSeconds = options.timeout ?? (await readShutdownSeconds(context)) + 10;
    if (!(await requestStop(context, found))) process.kill(pid, 'SIGTERM');
    await withElapsed(terminal.messages, 'Stopping the server', async () => {
      const deadline = performance.now() + timeoutSeconds * 1000;
      while (await isRunning(home, pid)) {
        if (performance.now() > deadline) {
          throw new CommandError(
            `The server (pid ${pid}) is still finishing requests after ${timeoutSeconds} s. Wait longer with --timeout, or end it with \`kill ${pid}\`.`,
          );
        }
        await delay(pollMs, undefined, { signal });
      }
    });
    terminal.output.line('Stopped the server.');
  },
});

/** Invalid settings must not prevent stopping a server, so the default is used. */
async function readShutdownSeconds({ home, environment }: CommandContext): Promise<number> {
  const settings = await loadSettings({ home, environment, flags: {} }).catch((error: unknown) => {
    if (error instanceof SettingsError) return undefined;
    throw error;
  });
  return settings?.['limits.shutdownSeconds'] ?? 30;
}

/**
 * True while the server holds the home lock, which it does until it exits. If a newer server holds it, the old one has
 * exited.
 */
async function isRunning(home: string, pid: number): Promise<boolean> {
  if (!(await isHomeInUse(home))) return false;
  const record = await readServerRecord(home);
  return record === undefined || record.pid === pid;
}

/**
 * Asks the server of the home folder to stop once its requests are finished. Needed on Windows, where a signal would
 * end it at once.
 *
 * @returns False if the server does not accept the request: it does not answer, is older, or belongs to another user.
 */
export async function requestStop(
  { home, signal }: Pick<CommandContext, 'home' | 'signal'>,
  { url, certificate_sha256: certificate }: ServerRecord,
): Promise<boolean> {
  const token = await readOwnerToken(home);
  if (token === undefined) return false;
  const found = await probeServer(url, signal, certificate);
  // The token must not reach another program.
  if (found.kind !== 'hearth' || found.homeId !== (await readHomeId(home))) return false;
  try {
    await createClient({ baseUrl: url, token, certificate }).call(stopServer, {}, signal);
    return true;
  } catch (error) {
    // The server is already stopping; a signal would abort its requests.
    if (error instanceof ApiError) return error.code === 'shutting_down';
    if (error instanceof ServerUnreachableError) return false;
    throw error;
  }
}
