import { randomInt } from 'node:crypto';
import { defineConfig } from 'vitest/config';

/** The seed of all random numbers in tests. `HEARTH_TEST_SEED=<seed>` repeats a run. */
const seed = process.env['HEARTH_TEST_SEED'] ?? String(randomInt(2 ** 31));
console.info(`HEARTH_TEST_SEED=${seed}`);
const env = { HEARTH_TEST_SEED: seed };

/** `HEARTH_TEST_RETRY=1` repeats a failed test once and reports it as a retry: CI machines may be busy. */
const retry = Number(process.env['HEARTH_TEST_RETRY'] ?? 0);

const endToEnd = {
  globalSetup: 'test/setup/engine/global-setup.ts',
  env,
  retry,
  pool: 'forks',
  // A worker imports the helpers and the clients once, not once for each file.
  isolate: false,
  maxWorkers: 2,
  testTimeout: 60_000,
  hookTimeout: 120_000,
} as const;

/** Attacks, the commands of pages, and tests that load or install a server for long. They run with the drills, so that `npm test` stays short. */
const longTests = [
  'test/{attack,docs,fuzz,package,soak}/**/*.test.ts',
  'test/api/{adapters,documents,late-approvals,shared-cache,tool-approvals,waiting-streams,warm-state}.test.ts',
  'test/cli/{chat-tools,get}.test.ts',
  'test/service/{drain,user-service}.test.ts',
  'test/store/kill.test.ts',
];

export default defineConfig({
  test: {
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts', 'web/src/**/*.ts'],
      exclude: ['**/*.test.ts'],
      reporter: ['text-summary', 'html', 'lcov'],
      // Decisions on what a platform reports: docs/contributing/platforms.md.
      thresholds: Object.fromEntries(
        [
          'src/platform/machine/*.ts',
          'src/engines/loads/policy/*.ts',
          'src/engines/memory/cache-bytes.ts',
          'src/engines/runtimes/{choose-backend,nvidia-gpus}.ts',
          'src/engines/launch/{exit-reason,start-failure,memory-shortage,memory-watch,child-environment}.ts',
          'src/settings/resolve-path.ts',
          'src/platform/net/proxy-environment.ts',
          'src/library/downloads/disk-space.ts',
          'src/platform/processes/filter-environment.ts',
          'src/library/hub/repository-name.ts',
          'src/store/{network-file-system,steps}.ts',
        ].map((files) => [files, { branches: 100 }]),
      ),
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
            'site/*.test.mjs',
            'site/reference/*.test.mjs',
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
          ...endToEnd,
          name: 'e2e',
          include: ['test/**/*.test.ts'],
          exclude: [
            'test/clients/**',
            'test/browser/**',
            'test/postgres/**',
            'test/mlx/**',
            'test/systemd/**',
            'test/peers/**',
            'test/deploy/**',
            'test/engines/**',
            ...longTests,
            '**/node_modules/**',
          ],
        },
      },
      { test: { ...endToEnd, name: 'drills', include: longTests } },
      { test: { ...endToEnd, name: 'deploy', include: ['test/deploy/**/*.test.ts'] } },
      { test: { ...endToEnd, name: 'peers', include: ['test/peers/**/*.test.ts'] } },
      {
        test: {
          ...endToEnd,
          name: 'engines',
          include: ['test/engines/**/*.test.ts'],
          maxWorkers: 1,
          testTimeout: 120_000,
          // Engines with Python libraries start for a minute.
          hookTimeout: 300_000,
        },
      },
      {
        test: {
          name: 'postgres',
          // The tests of the repositories run on both databases.
          include: [
            'src/store/{response,token,usage,session,download,tool-approval,named-record,project}-repository.test.ts',
            'src/store/conversations/{conversations,created-conversations,random-conversations}.test.ts',
            'src/store/batches/file-repository.test.ts',
            'src/store/vector-stores/*.test.ts',
            'src/chat/documents/search/{indexer,vector-stores}.test.ts',
            'src/store/shared/*.test.ts',
            'src/chat/background/*.test.ts',
            'src/store/s3/images-in-objects.test.ts',
            'src/chat/batches/batch-runner.test.ts',
            'src/library/downloads/download-manager.test.ts',
            'src/chat/history.test.ts',
            'test/api/{conversations,openai-conversations,stored-tree,tokens,presets,projects,conversation-imports,vector-stores}.test.ts',
            'test/postgres/**/*.test.ts',
          ],
          globalSetup: ['test/setup/postgres/global-setup.ts', 'test/setup/engine/global-setup.ts'],
          setupFiles: [
            'test/setup/seed-properties.ts',
            'test/setup/poll-often.ts',
            'test/setup/postgres/use-postgres.ts',
          ],
          env,
          retry,
          pool: 'forks',
          isolate: false,
          maxWorkers: 2,
          expect: { poll: { timeout: 20_000 } },
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'mlx',
          include: ['test/mlx/**/*.test.ts'],
          globalSetup: ['test/setup/mlx/global-setup.ts'],
          env,
          retry,
          maxWorkers: 1,
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'systemd',
          include: ['test/systemd/**/*.test.ts'],
          globalSetup: ['test/setup/engine/global-setup.ts'],
          env,
          retry,
          maxWorkers: 1,
          testTimeout: 120_000,
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
          testTimeout: 120_000,
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
          // Open WebUI creates its database for a minute.
          hookTimeout: 300_000,
        },
      },
    ],
  },
});
