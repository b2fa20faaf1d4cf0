import { cpus, totalmem } from 'node:os';
import { writeTable } from '../src/cli/ui/table.ts';
import type { Terminal } from '../src/cli/ui/terminal.ts';
import type { Runtime } from '../src/engine/runtimes/runtime.ts';
import type { BenchOptions } from './options.ts';
import type { Row, Target } from './row.ts';
import type { Estimate } from './statistics.ts';

export interface Surroundings {
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

/** Writes the result for people. */
export function writeReport(
  { output }: Terminal,
  surroundings: Surroundings,
  otherName: string,
  rows: readonly Row[],
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
      { title: 'HEARTH', value: ({ hearth }) => number(hearth.value), isNumber: true },
      {
        title: otherName.toUpperCase(),
        value: ({ other }) => (other === undefined ? '' : number(other.value)),
        isNumber: true,
      },
      { title: 'RATIO', value: ({ ratio }) => ratio?.value.toFixed(2) ?? '', isNumber: true },
      { title: 'RANGE', value: (row) => range(row) },
      { title: 'TARGET', value: ({ target }) => (target === undefined ? '' : bound(target)) },
      { title: '', value: ({ isReached }) => verdict(isReached) },
    ],
    rows,
  );
}

/** Lowest and highest round: of the ratio, else of Hearth's own value. */
function range({ hearth, ratio }: Row): string {
  const show = ({ low, high }: Estimate, format: (value: number) => string): string =>
    low === high ? '' : `${format(low)} to ${format(high)}`;
  return ratio === undefined ? show(hearth, number) : show(ratio, (value) => value.toFixed(2));
}

function bound({ of, atLeast, atMost }: Target): string {
  const limit = atLeast === undefined ? `≤ ${atMost}` : `≥ ${atLeast}`;
  return of === 'ratio' ? `ratio ${limit}` : limit;
}

function verdict(isReached: boolean | undefined): string {
  if (isReached === undefined) return '';
  return isReached ? 'ok' : 'miss';
}

function number(value: number): string {
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return value.toFixed(digits);
}
