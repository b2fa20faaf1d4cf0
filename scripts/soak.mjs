// Runs a long version of a drill in test/soak: npm run soak -- kills --count 100
import { spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const folder = join(import.meta.dirname, '../test/soak');
const drills = (await readdir(folder)).flatMap((file) =>
  file.endsWith('.test.ts') ? [file.slice(0, -'.test.ts'.length)] : [],
);
const usage = `Usage: npm run soak -- DRILL [--seconds N] [--count N] [--seed N]\nDrills: ${drills.join(', ')}`;

const options = Object.fromEntries(
  ['seconds', 'count', 'seed'].map((name) => [name, { type: 'string' }]),
);
try {
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const [drill] = positionals;
  if (positionals.length !== 1 || !drills.includes(drill)) throw new Error('Name one drill.');
  for (const [name, value] of Object.entries(values)) {
    if (!/^\d{1,9}$/.test(String(value))) throw new Error(`--${name} needs a whole number.`);
  }
  run(drill, values);
} catch (error) {
  console.error(`${error.message}\n${usage}`);
  process.exitCode = 2;
}

function run(drill, { seconds, count, seed }) {
  const vitest = join(import.meta.dirname, '../node_modules/vitest/vitest.mjs');
  const file = `test/soak/${drill}.test.ts`;
  const child = spawn(
    process.execPath,
    [vitest, 'run', '--project', 'drills', '--disableConsoleIntercept=true', file],
    {
      stdio: 'inherit',
      env: {
        ...process.env,
        ...(seconds === undefined ? {} : { HEARTH_SOAK_SECONDS: seconds }),
        ...(count === undefined ? {} : { HEARTH_SOAK_COUNT: count }),
        ...(seed === undefined ? {} : { HEARTH_TEST_SEED: seed }),
      },
    },
  );
  child.once('exit', (code) => {
    process.exitCode = code ?? 1;
  });
}
