import { defineConfig } from 'vitest/config';
import {
  BaseSequencer,
  type PoolOptions,
  type Reporter,
  type TestModule,
  type TestSpecification,
  type Vitest,
} from 'vitest/node';
import { ReusedThread, stopParkedThread } from './test/mutation/reused-threads.ts';

/**
 * Remembers how long files take, and reports one that does not load as an error of the run. Stryker's runner
 * looks at tests only: it would count a mutant that throws on import, and so runs no test, as survived.
 */
class MutationReporter implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestModuleEnd(module: TestModule): void {
    if (!durations.has(module.moduleId)) {
      durations.set(module.moduleId, module.diagnostic().duration);
    }
    for (const error of module.errors()) this.#vitest?.state.catchError(error, 'Import Error');
  }
}

/** The milliseconds that each test file took in the run without mutants. */
const durations = new Map<string, number>();

/** Runs the fastest files first: the first test that fails ends the run of a mutant. */
class FastestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.toSorted(
      (left, right) => (durations.get(left.moduleId) ?? 0) - (durations.get(right.moduleId) ?? 0),
    );
  }
}

// `npm run mutate -- <module>` runs the tests of the module for each mutant.
const mutated = process.env['HEARTH_MUTATION_MODULE'] ?? 'src';
const tests: Readonly<Record<string, readonly string[]>> = {
  // The guards are tested as a chain.
  'src/api/kit/guards': ['src/api/kit/guards/guards.test.ts', 'src/api/kit/guards/**/*.test.ts'],
  // The modules that use these tables test them.
  'src/store': [
    'src/store/**/*.test.ts',
    'src/chat/batches/*.test.ts',
    'src/chat/background/*.test.ts',
    'src/store/s3/images-in-objects.test.ts',
    'src/access/revoke-token.test.ts',
    'src/chat/history.test.ts',
  ],
};

export default defineConfig({
  plugins: [
    {
      name: 'reused-threads',
      // Stryker sets the option `pool` itself.
      configureVitest({ project, vitest }) {
        vitest.onClose(stopParkedThread);
        const name = 'reused-threads';
        Object.assign(project.config, {
          tagsFilter: ['!slow'],
          pool: name,
          poolRunner: {
            name,
            createPoolWorker: (options: PoolOptions) => new ReusedThread(options),
          },
        });
      },
    },
  ],
  test: {
    sequence: { sequencer: FastestFirst },
    reporters: [new MutationReporter()],
    include: [...(tests[mutated] ?? [`${mutated}/**/*.test.ts`])],
    tags: [{ name: 'slow', description: 'Too slow to repeat for each mutant.' }],
    // One thread runs all files of a mutant: it imports the module once, not once for each file.
    isolate: false,
    setupFiles: [
      'test/setup/seed-properties.ts',
      'test/setup/poll-often.ts',
      'test/mutation/mutant-setup.ts',
    ],
    // A mutant is killed by the same numbers in every run.
    env: { HEARTH_TEST_SEED: '1', HEARTH_TEST_RUNS: '20' },
    // Without the slow ones, tests take milliseconds: what takes this long waits for something that never comes.
    testTimeout: 4000,
  },
});
