import { expect, it } from 'vitest';
import { createLogger } from '../../telemetry/logger.ts';
import { keepRecommended } from './keep-recommended.ts';
import type { ListedRuntime } from './runtime.ts';

const old: ListedRuntime = {
  name: 'llama.cpp-linux-x64-cpu',
  version: 'b1',
  supportedFormats: ['gguf'],
  source: 'release',
  command: '/runtimes/b1/llama-server',
  leadingArguments: [],
  folder: '/runtimes/b1',
  isSelected: false,
  isRecommended: false,
  isActive: true,
};

async function installs(list: readonly ListedRuntime[], failure?: Error) {
  let count = 0;
  const logged: string[] = [];
  await keepRecommended({
    runtimes: {
      installed: async () => list,
      install: async () => {
        count += 1;
        if (failure !== undefined) throw failure;
        return old;
      },
    },
    logger: createLogger('info', { write: (line) => logged.push(line) }),
    signal: new AbortController().signal,
  });
  return { count, logged: logged.join('') };
}

it('installs the recommended runtime beside one of another version', async () => {
  expect(await installs([old])).toMatchObject({
    count: 1,
    logged: expect.stringContaining('lists older ones to remove'),
  });
});

it.each([
  ['none is installed', []],
  ['it is installed', [old, { ...old, isRecommended: true }]],
  ['the user selected one', [{ ...old, isSelected: true }]],
])('installs nothing if %s', async (_name, list) => {
  expect((await installs(list)).count).toBe(0);
});

it('logs a failure, and the old one serves', async () => {
  const { logged } = await installs([old], new Error('offline'));
  expect(logged).toMatch(/"level":"warn".*"reason":"offline"/);
});
