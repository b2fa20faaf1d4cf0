import type { StartUp } from '../start-up.ts';
import { toRow, type Row } from '../row.ts';
import type { Measurement } from './measurement.ts';

/** More rounds than in other measurements, since they are short and vary more. */
const roundsFactor = 2;

/** Measures the start of commands and of the server itself, without an engine. */
export const measureStartUps: Measurement = async ({ options, startUp }) => {
  const samples: StartUp[] = [];
  while (samples.length < options.rounds * roundsFactor) samples.push(await startUp());
  const row = (
    name: string,
    unit: string,
    valueOf: (sample: StartUp) => number | undefined,
    atMost?: number,
  ): Row[] => {
    const rounds = samples.flatMap((sample) => {
      const value = valueOf(sample);
      return value === undefined ? [] : [[value]];
    });
    const target = atMost === undefined ? undefined : ({ of: 'Hearth', atMost } as const);
    return rounds.length === 0 ? [] : [toRow({ name, unit, target }, rounds)];
  };
  return [
    ...row('hearth --help, beyond Node.js itself', 'ms', ({ helpMs }) => helpMs, 150),
    ...row('hearth ls, beyond Node.js itself', 'ms', ({ listMs }) => listMs, 150),
    ...row(
      'hearth ls without a server, beyond Node.js itself',
      'ms',
      ({ failedListMs }) => failedListMs,
      150,
    ),
    ...row('hearth serve, until it listens', 'ms', ({ serveMs }) => serveMs),
    ...row('hearth serve, until it listens, CPU', 'ms', ({ serveCpuMs }) => serveCpuMs),
    ...row('resident memory, idle server', 'MB', ({ idleBytes }) =>
      idleBytes === undefined ? undefined : idleBytes / 1e6,
    ),
  ];
};
