import { join } from 'node:path';
import { expect, it } from 'vitest';
import { projectFolder } from '../setup/project-folder.ts';
import { testSeed } from '../setup/seeded-random.ts';
import { runFuzzer } from './run-fuzzer.ts';
import { fuzzTargets } from './targets/targets.ts';

/** `npm run fuzz -- --minutes 10 --target gguf` */
const { HEARTH_FUZZ_SECONDS: long, HEARTH_FUZZ_TARGET: only } = process.env;
const seconds = Number(long ?? 4);
const names = Object.keys(fuzzTargets).filter((name) => only === undefined || name === only);

it.each(names)(
  `%s parses what it gets in ${seconds} s, or refuses it`,
  { timeout: 120_000 + seconds * 2000 },
  async (target) => {
    const corpusFolder =
      long === undefined ? undefined : join(projectFolder, '.cache/fuzz', target);
    const report = await runFuzzer({ target, seconds, seed: testSeed, corpusFolder });
    const { executions, corpusSize, functions, characters, findings } = report;
    // oxlint-disable-next-line no-console
    console.log(
      `${target}: ${executions} inputs, ${corpusSize} in the corpus, ` +
        `${characters} characters of ${functions} functions covered, ${findings.length} findings`,
    );
    expect(findings).toEqual([]);
    expect(executions).toBeGreaterThan(0);
  },
);
