import { randomInt } from 'node:crypto';
import { defineConfig } from 'vitest/config';

/** The seed of all random numbers in tests. `HEARTH_TEST_SEED=<seed>` repeats a run. */
const seed = process.env['HEARTH_TEST_SEED'] ?? String(randomInt(2 ** 31));
console.info(`HEARTH_TEST_SEED=${seed}`);
const env = { HEARTH_TEST_SEED: seed };

/** `HEARTH_TEST_RETRY=1` repeats a failed test once and reports it as a retry: CI machines may be busy. */
const retry = Number(process.env['HEARTH_TEST_RETRY'] ?? 0);

export default defineConfig({
  test: {
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts', 'web/src/**/*.ts'],
      exclude: ['**/*.test.ts'],
      reporter: ['text-summary', 'html', 'lcov'],
    },
    projects: [
      {
        test: {
          name: 'unit',
          include: [
            'src/**/*.test.ts',
            'web/src/**/*.test.ts',
            'bench/**/*.test.ts',
            'scripts/**/*.test.mjs',
          ],
          setupFiles: ['test/setup/seed-properties.ts', 'test/setup/poll-often.ts'],
          env,
          retry,
          pool: 'threads',
          isolate: false,
          maxWorkers: 2,
          // Far more than any needs: machines that run tests may be busy.
          testTimeout: 30_000,
          tags: [{ name: 'slow', description: 'Too slow to repeat for each mutant.' }],
          hookTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/**/*.test.ts'],
          exclude: ['test/clients/**', 'test/browser/**', '**/node_modules/**'],
          globalSetup: ['test/setup/engine/global-setup.ts'],
          env,
          retry,
          pool: 'forks',
          // A worker imports the helpers and the clients once, not once for each file.
          isolate: false,
          maxWorkers: 2,
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          exclude: ['**/node_modules/**'],
          globalSetup: ['test/setup/engine/global-setup.ts'],
          env,
          retry,
          maxWorkers: 2,
          expect: { poll: { timeout: 20_000 } },
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'browser-by-hand',
          include: ['test/browser/by-hand/*.ts'],
          globalSetup: ['test/setup/engine/global-setup.ts'],
          env,
          maxWorkers: 1,
          fileParallelism: false,
          expect: { poll: { timeout: 20_000 } },
          testTimeout: 600_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'clients',
          include: ['test/clients/**/*.test.ts'],
          exclude: ['**/node_modules/**'],
          globalSetup: ['test/setup/engine/global-setup.ts'],
          env,
          retry,
          testTimeout: 300_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
