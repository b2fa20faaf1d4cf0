import { setTimeout as delay } from 'node:timers/promises';
import { loadSettings } from '../../settings/settings.ts';
import { SettingsError } from '../../settings/settings-error.ts';
import { isHomeInUse } from '../../platform/home/home-lock.ts';
import { readServerRecord } from '../../platform/home/server-record.ts';
import { defineCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { CommandError } from '../failure.ts';
import { findServer } from '../background/find-server.ts';
import { requestStop } from '../background/request-stop.ts';
import { integer } from '../option.ts';
import { withElapsed } from '../ui/elapsed.ts';

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

/** Settings that have become invalid must not keep a server from being stopped. */
async function readShutdownSeconds({ home, environment }: CommandContext): Promise<number> {
  const settings = await loadSettings({ home, environment, flags: {} }).catch((error: unknown) => {
    if (error instanceof SettingsError) return undefined;
    throw error;
  });
  return settings?.['limits.shutdownSeconds'] ?? 30;
}

/** A server holds the home lock until it exits. If a new server holds it, the old one has exited. */
async function isRunning(home: string, pid: number): Promise<boolean> {
  if (!(await isHomeInUse(home))) return false;
  const record = await readServerRecord(home);
  return record === undefined || record.pid === pid;
}
