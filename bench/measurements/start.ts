import { toRow } from '../row.ts';
import { interleave } from './interleave.ts';
import type { Measurement } from './measurement.ts';

/** From starting a process to the first token of the starter model. */
export const measureStart: Measurement = async ({ options, timeStart }) => {
  const sides = { hearth: timeStart.hearth, other: timeStart.bare };
  const samples = await interleave(options.rounds, sides, async (time) => [await time()]);
  const target = { of: 'Hearth', atMost: 2500 } as const;
  return [
    toRow({ name: 'start to first token', unit: 'ms', target }, samples.hearth, samples.other),
  ];
};
