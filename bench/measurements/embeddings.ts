import { post } from '../client/post.ts';
import { repeat } from '../client/repeat.ts';
import { toRow, type Row } from '../row.ts';
import { interleave } from './interleave.ts';
import type { Measurement } from './measurement.ts';

const inputCounts = [1, 64];
const runs = { atLeast: 3, atMost: 100_000 };

/** Sentences embedded in a second by one client, one and many in a request. */
export const measureEmbeddings: Measurement = async ({ options, hearth, other, signal }) => {
  const { rounds, budgetMs } = options;
  if (other.embeddings === undefined) return [];
  const sides = { hearth: hearth.embeddings, other: other.embeddings };
  let serial = 0;
  const sentence = (): string => {
    serial += 1;
    return `Ship number ${serial} left the harbour at dawn, heavy with timber and salt.`;
  };
  for (const endpoint of [sides.hearth, sides.other]) {
    await post(endpoint, { input: sentence() }, signal);
  }
  const rows: Row[] = [];
  for (const count of inputCounts) {
    const samples = await interleave(rounds, sides, async (endpoint) => {
      const startedAt = performance.now();
      const answers = await repeat(budgetMs, runs, () => {
        const input = count === 1 ? sentence() : Array.from({ length: count }, sentence);
        return post(endpoint, { input }, signal);
      });
      return [(answers.length * count * 1000) / (performance.now() - startedAt)];
    });
    const name = `embeddings, ${count} in a request`;
    const target = { of: 'ratio', atLeast: 0.95 } as const;
    rows.push(toRow({ name, unit: 'texts/s', target }, samples.hearth, samples.other));
  }
  return rows;
};
