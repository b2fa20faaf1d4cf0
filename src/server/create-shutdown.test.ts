import { expect, it } from 'vitest';
import { createLogger } from '../telemetry/logger.ts';
import { createShutdown } from './create-shutdown.ts';

it('undoes the steps in reverse order, once, although one fails', async () => {
  const lines: string[] = [];
  const { cleanups, stop, stopped } = createShutdown(
    createLogger('info', { write: (line) => void lines.push(line) }),
  );
  const undone: string[] = [];
  cleanups.push(
    async () => undone.push('first'),
    () => {
      throw new Error('broken');
    },
    () => undone.push('third'),
  );
  await Promise.all([stop(), stop()]);
  await stopped;
  await stop();
  expect(undone).toEqual(['third', 'first']);
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['cleanup failed', 'stopped']);
});
