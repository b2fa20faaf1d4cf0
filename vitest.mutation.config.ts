import { defineConfig } from 'vitest/config';

// The tests that `npm run mutate -- <room>` runs for each mutant: those of the room.
const room = process.env['HEARTH_MUTATION_ROOM'] ?? 'src';
const tests: Readonly<Record<string, readonly string[]>> = {
  // The guards are tested as a chain.
  'src/http/guards': ['src/http/guards.test.ts', 'src/http/guards/**/*.test.ts'],
};

export default defineConfig({
  test: {
    include: [...(tests[room] ?? [`${room}/**/*.test.ts`])],
    setupFiles: ['test/setup/seed-properties.ts'],
    // A mutant is killed by the same numbers in every run.
    env: { HEARTH_TEST_SEED: '1' },
    testTimeout: 5_000,
  },
});
