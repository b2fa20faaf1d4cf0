import { expect, it } from 'vitest';
import { createLogger } from '../../telemetry/logger.ts';
import { createServiceNotifier } from './service-notifier.ts';

async function notify(environment: Readonly<Record<string, string>>): Promise<string> {
  let log = '';
  const logger = createLogger('info', { write: (line: string) => void (log += line) });
  const notifier = createServiceNotifier({ environment, logger });
  await notifier.ready('Listening');
  await notifier.stopping();
  notifier.close();
  return log;
}

// test/service/user-service.test.ts reads the messages from a datagram socket.
it('does nothing without a service manager', async () => {
  expect(await notify({ PATH: '/nowhere', NOTIFY_SOCKET: '' })).toBe('');
});

it('logs that systemd-notify is missing, and continues', async () => {
  const log = await notify({ PATH: '/nowhere', NOTIFY_SOCKET: '/nowhere/notify' });
  expect(log).toContain('service manager not notified');
  expect(log).toContain('ENOENT');
});
