import { expect, it, onTestFinished, vi } from 'vitest';
import { createLogger } from '../../../telemetry/logger.ts';
import { deferred } from '../../../../test/setup/deferred.ts';
import { lineStream } from './ndjson.ts';

it('sends a line after a silence, also before the first one', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const waiting = deferred<object>();
  async function* source(): AsyncGenerator<object> {
    yield await waiting.promise;
  }
  let beats = 0;
  const { body } = lineStream(source(), {
    signal: new AbortController().signal,
    logger: createLogger('silent'),
    heartbeat: () => ({ beat: (beats += 1) }),
  });
  const reader = body?.getReader();
  const read = async () => Buffer.from((await reader?.read())?.value ?? '').toString();
  for (const beat of [1, 2]) {
    const next = read();
    await new Promise(setImmediate);
    vi.advanceTimersByTime(15_000);
    expect(await next).toBe(`{"beat":${beat}}\n`);
  }
  waiting.resolve({ done: true });
  expect(await read()).toBe('{"done":true}\n');
  expect(await read()).toBe('');
});
