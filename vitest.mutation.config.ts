import { defineConfig } from 'vitest/config';
import type { Reporter, TestModule, Vitest } from 'vitest/node';

/**
 * Reports a test file that does not load as an error of the run. Stryker's runner looks at tests only: it would
 * count a mutant that throws on import, and so runs no test at all, as survived.
 */
class LoadErrorReporter implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestModuleEnd(module: TestModule): void {
    for (const error of module.errors()) this.#vitest?.state.catchError(error, 'Import Error');
  }
}

// The tests that `npm run mutate -- <room>` runs for each mutant: those of the room.
const room = process.env['HEARTH_MUTATION_ROOM'] ?? 'src';
const tests: Readonly<Record<string, readonly string[]>> = {
  // The guards are tested as a chain.
  'src/http/guards': ['src/http/guards.test.ts', 'src/http/guards/**/*.test.ts'],
};

export default defineConfig({
  test: {
    reporters: [new LoadErrorReporter()],
    include: [...(tests[room] ?? [`${room}/**/*.test.ts`])],
    setupFiles: ['test/setup/seed-properties.ts'],
    // A mutant is killed by the same numbers in every run.
    env: { HEARTH_TEST_SEED: '1' },
    testTimeout: 5_000,
  },
});
