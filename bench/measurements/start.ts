import { toRow } from '../row.ts';
import { alone, interleave } from './interleave.ts';
import type { Measurement } from './measurement.ts';

/** Measures the time from starting a process to the first token of the starter model. */
export const measureStart: Measurement = async ({ options, other, timeStart }) => {
  const { rounds } = options;
  const row = {
    name: 'start to first token',
    unit: 'ms',
    target: { of: 'Hearth', atMost: 2500 },
  } as const;
  const samplesOf = async (time: () => Promise<number>): Promise<readonly number[]> => [
    await time(),
  ];
  if (other.processes === undefined) {
    return [toRow(row, await alone(rounds, () => samplesOf(timeStart.hearth)))];
  }
  const sides = { hearth: timeStart.hearth, other: timeStart.bare };
  const samples = await interleave(rounds, sides, samplesOf);
  return [toRow(row, samples.hearth, samples.other)];
};
