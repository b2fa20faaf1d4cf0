import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { randomNumbers } from '../setup/random-numbers.ts';
import { CodeCoverage } from './code-coverage.ts';
import { mutate } from './mutate.ts';
import { fuzzTargets } from './targets/targets.ts';

/** Options that `fuzz` passes to this process. */
export interface FuzzTask {
  readonly target: string;
  readonly seconds: number;
  readonly seed: number;
  /** File to which each input is written before it runs, so that it is known after a crash. */
  readonly currentFile: string;
  /** Folder that keeps inputs that reach new code, for the next run. */
  readonly corpusFolder: string | undefined;
}

export interface FuzzFinding {
  readonly message: string;
  readonly input: string;
}

export interface FuzzReport {
  readonly executions: number;
  readonly corpusSize: number;
  readonly functions: number;
  readonly characters: number;
  readonly findings: readonly FuzzFinding[];
}

/** Inputs per measurement, since measuring coverage takes far longer than an input. */
const batchSize = 64;
const maxFindings = 20;
/** Limit for memory outside of the JavaScript heap, which `--max-old-space-size` limits. */
const maxBufferBytes = 512 * 1024 * 1024;

async function fuzz(task: FuzzTask): Promise<FuzzReport> {
  const target = fuzzTargets[task.target];
  if (target === undefined) throw new Error(`There is no target ${task.target}.`);
  const random = randomNumbers(task.seed);
  const coverage = new CodeCoverage(import.meta.url);
  const findings = new Map<string, FuzzFinding>();
  const corpus = [...(await target.seeds()), ...(await readCorpus(task.corpusFolder))];
  let executions = 0;

  async function run(input: Buffer): Promise<void> {
    writeFileSync(task.currentFile, input);
    executions += 1;
    try {
      await target?.run(input);
    } catch (error) {
      if (target?.isDeclared(error) === true) return;
      const place = String((error instanceof Error ? error.stack : '')?.split('\n')[1]).trim();
      const finding = { message: `${String(error)} ${place}`, input: input.toString('base64') };
      if (findings.size < maxFindings) findings.set(place, finding);
    }
    if (executions % batchSize === 0 && process.memoryUsage().arrayBuffers > maxBufferBytes) {
      throw new Error('Buffers take more than 512 MiB.');
    }
  }
  const pick = (): Buffer => corpus[Math.floor(random() * corpus.length)] ?? Buffer.alloc(0);

  for (const input of corpus) await run(input);
  coverage.take();
  const end = performance.now() + task.seconds * 1000;
  while (performance.now() < end) {
    const batch = Array.from({ length: batchSize }, () =>
      mutate(pick(), { other: pick(), words: target.words, random }),
    );
    for (const input of batch) await run(input);
    if (!coverage.isNew()) continue;
    for (const input of batch) {
      coverage.skip();
      await run(input);
      if (!coverage.take()) continue;
      corpus.push(input);
      await keep(task.corpusFolder, input);
    }
    // Runs code that runs only the first time, such as filling a cache.
    for (const input of batch) await run(input);
    coverage.take();
  }
  return {
    executions,
    corpusSize: corpus.length,
    functions: coverage.functionCount,
    characters: coverage.characterCount,
    findings: [...findings.values()],
  };
}

async function readCorpus(folder: string | undefined): Promise<readonly Buffer[]> {
  if (folder === undefined) return [];
  await mkdir(folder, { recursive: true });
  return Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name))));
}

async function keep(folder: string | undefined, input: Buffer): Promise<void> {
  if (folder === undefined) return;
  const name = createHash('sha256').update(input).digest('hex').slice(0, 16);
  await writeFile(join(folder, name), input);
}

process.once('message', (task: FuzzTask) => {
  void fuzz(task).then((report) => process.send?.(report, () => process.exit(0)));
});
