import { writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { writeTable } from '../src/cli/ui/table.ts';
import type { Terminal } from '../src/cli/ui/terminal.ts';
import type { Runtime } from '../src/engines/runtimes/runtime.ts';
import { version } from '../src/kernel/version.ts';
import type { BenchOptions } from './options.ts';
import type { Row, Target } from './row.ts';
import type { Estimate } from './statistics.ts';

export interface Surroundings {
  /** Day of the measurement, such as `2026-11-21`. */
  readonly date: string;
  /** Version of Hearth. */
  readonly hearth: string;
  readonly cpu: string;
  readonly cores: number;
  readonly memoryBytes: number;
  readonly platform: string;
  readonly node: string;
  readonly runtime: string;
  readonly model: string;
  readonly parallel: number;
  readonly threads: number;
  readonly rounds: number;
}

export function describeSurroundings(
  runtime: Runtime,
  model: string,
  { parallel, threads, rounds }: BenchOptions,
): Surroundings {
  return {
    date: new Date().toISOString().slice(0, 10),
    hearth: version,
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryBytes: totalmem(),
    platform: `${process.platform}-${process.arch}`,
    node: process.version,
    runtime: `${runtime.name} ${runtime.version}`,
    model,
    parallel,
    threads,
    rounds,
  };
}

export function describeMachine(surroundings: Surroundings): string {
  const { cpu, cores, memoryBytes, platform, node, runtime } = surroundings;
  return `${platform}, ${cores} × ${cpu}, ${Math.round(memoryBytes / 1e9)} GB, Node ${node}, ${runtime}`;
}

/** Results of one run, in the format of `--json` and `docs/contributing/performance.md`. */
export interface BenchResults {
  readonly surroundings: Surroundings;
  /** Name of the server that Hearth is compared with. */
  readonly against: string;
  readonly rows: readonly Row[];
}

/** Writes results as JSON to the file in the options, or to standard output. */
export async function writeJson(
  { output }: Terminal,
  { jsonFile }: BenchOptions,
  results: unknown,
): Promise<void> {
  if (jsonFile === undefined) output.json(results);
  else await writeFile(jsonFile, `${JSON.stringify(results, null, 2)}\n`);
}

/** Writes the results as a table. */
export function writeReport(
  { output }: Pick<Terminal, 'output'>,
  { surroundings, against, rows }: BenchResults,
): void {
  const { model, parallel, threads, rounds } = surroundings;
  output.line(describeMachine(surroundings));
  output.line(`${model}; ${parallel} slots, threads: ${threads}, rounds: ${rounds}`);
  output.line();
  writeTable<Row>(
    output,
    [
      { title: 'MEASUREMENT', value: ({ name }) => name },
      { title: 'UNIT', value: ({ unit }) => unit },
      { title: 'HEARTH', value: ({ hearth }) => formatNumber(hearth.value), isNumber: true },
      {
        title: against.toUpperCase(),
        value: ({ other }) => (other === undefined ? '' : formatNumber(other.value)),
        isNumber: true,
      },
      { title: 'RATIO', value: ({ ratio }) => ratio?.value.toFixed(2) ?? '', isNumber: true },
      { title: 'RANGE', value: (row) => formatRange(row) },
      {
        title: 'TARGET',
        value: ({ target }) => (target === undefined ? '' : formatTarget(target)),
      },
      { title: '', value: ({ isReached }) => formatVerdict(isReached) },
    ],
    rows,
  );
}

/** Lowest and highest round of the ratio, or of Hearth's own value if there is no ratio. */
export function formatRange({ hearth, ratio }: Row): string {
  const show = ({ low, high }: Estimate, format: (value: number) => string): string =>
    low === high ? '' : `${format(low)} to ${format(high)}`;
  return ratio === undefined
    ? show(hearth, formatNumber)
    : show(ratio, (value) => value.toFixed(2));
}

export function formatTarget({ of, atLeast, atMost }: Target): string {
  const limit = atLeast === undefined ? `≤ ${atMost}` : `≥ ${atLeast}`;
  return of === 'ratio' ? `ratio ${limit}` : limit;
}

export function formatVerdict(isReached: boolean | undefined): string {
  if (isReached === undefined) return '';
  return isReached ? 'ok' : 'miss';
}

/** A value with three significant digits below 100. */
export function formatNumber(value: number): string {
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return value.toFixed(digits);
}
