import type { Endpoint } from '../client/endpoint.ts';
import { repeatConcurrently } from '../client/repeat.ts';
import { toRow, type Row } from '../row.ts';
import { interleave } from './interleave.ts';
import type { Measurement } from './measurement.ts';

const clients = 8;
/** Roughly the number of requests per millisecond. */
const requestsPerMs = 0.5;

/** Measures how many lists of models several clients get per second. */
export const measureModels: Measurement = async ({ options, hearth, other, signal }) => {
  const { rounds, budgetMs } = options;
  const count = Math.round(budgetMs * requestsPerMs);
  const get = async ({ connection, path }: Endpoint): Promise<void> => {
    const { status } = await connection.getJson(path, signal);
    if (status !== 200) throw new Error(`${path} answered ${status}`);
  };
  const rows: Row[] = [];
  for (const version of ['v0', 'v1'] as const) {
    const sides = { hearth: hearth.modelLists[version], other: other.modelLists[version] };
    const samples = await interleave(rounds, sides, async (endpoint) => {
      const startedAt = performance.now();
      await repeatConcurrently(count, clients, () => get(endpoint));
      return [(count * 1000) / (performance.now() - startedAt)];
    });
    const name = `GET ${sides.hearth.path}`;
    rows.push(toRow({ name, unit: 'requests/s' }, samples.hearth, samples.other));
  }
  return rows;
};
