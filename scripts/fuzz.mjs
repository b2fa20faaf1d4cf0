// Fuzzes parsers for a long time: npm run fuzz -- --minutes 10 --target gguf
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const usage = 'Usage: npm run fuzz -- [--minutes N] [--target NAME] [--seed N]';
try {
  const { values } = parseArgs({
    options: Object.fromEntries(
      ['minutes', 'target', 'seed'].map((name) => [name, { type: 'string' }]),
    ),
  });
  const { minutes = '10', target, seed } = values;
  if (!/^\d{1,4}$/.test(minutes)) throw new Error('--minutes needs a whole number.');
  if (seed !== undefined && !/^\d{1,9}$/.test(seed))
    throw new Error('--seed needs a whole number.');
  run({
    HEARTH_FUZZ_SECONDS: String(60 * Number(minutes)),
    ...(target === undefined ? {} : { HEARTH_FUZZ_TARGET: target }),
    ...(seed === undefined ? {} : { HEARTH_TEST_SEED: seed }),
  });
} catch (error) {
  console.error(`${error.message}\n${usage}`);
  process.exitCode = 2;
}

function run(environment) {
  const vitest = join(import.meta.dirname, '../node_modules/vitest/vitest.mjs');
  const child = spawn(
    process.execPath,
    [vitest, 'run', '--project', 'drills', '--disableConsoleIntercept=true', 'test/fuzz'],
    { stdio: 'inherit', env: { ...process.env, ...environment } },
  );
  child.once('exit', (code) => {
    process.exitCode = code ?? 1;
  });
}
