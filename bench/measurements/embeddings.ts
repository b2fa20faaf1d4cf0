import type { Endpoint } from '../client/endpoint.ts';
import { post } from '../client/post.ts';
import { repeatConcurrently } from '../client/repeat.ts';
import { toRow, type Row } from '../row.ts';
import { interleave } from './interleave.ts';
import type { Measurement } from './measurement.ts';

const nearBare = { of: 'ratio', atLeast: 0.95 } as const;
/** A single client shows the cost of a request; several show how much the engine is delayed. */
const loads = [
  { inputs: 1, clients: 8, target: nearBare },
  { inputs: 64, clients: 8, target: nearBare },
  { inputs: 1, clients: 1, target: undefined },
];

/** Measures sentences embedded per second, with one and many per request. */
export const measureEmbeddings: Measurement = async ({ options, hearth, other, signal }) => {
  const { rounds, budgetMs } = options;
  if (other.embeddings === undefined) return [];
  const sides = { hearth: hearth.embeddings, other: other.embeddings };
  let serial = 0;
  const sentence = (): string => {
    serial += 1;
    return `Ship number ${serial} left the harbour at dawn, heavy with timber and salt.`;
  };
  const rows: Row[] = [];
  for (const { inputs, clients, target } of loads) {
    const run = async (endpoint: Endpoint, requests: number): Promise<number> => {
      const startedAt = performance.now();
      await repeatConcurrently(requests, clients, () =>
        post(endpoint, { input: Array.from({ length: inputs }, sentence) }, signal),
      );
      return performance.now() - startedAt;
    };
    // The first runs warm up, and show how many fit into the time.
    await run(sides.hearth, clients);
    await run(sides.other, clients);
    const perRequestMs = (await run(sides.other, clients)) / clients;
    const requests = clients * Math.max(1, Math.round(budgetMs / perRequestMs / clients));
    const samples = await interleave(rounds, sides, async (endpoint) => [
      (requests * inputs * 1000) / (await run(endpoint, requests)),
    ]);
    const name = `embeddings, ${inputs} in a request, ${clients} client${clients === 1 ? '' : 's'}`;
    rows.push(toRow({ name, unit: 'texts/s', target }, samples.hearth, samples.other));
  }
  return rows;
};
