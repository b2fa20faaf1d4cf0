import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { residentBytes } from '../../src/engines/launch/memory-watch.ts';
import { seededRandom } from '../setup/seeded-random.ts';
import { postRaw } from '../setup/server/api.ts';
import { useHearth } from '../setup/server/use-hearth.ts';

/**
 * Requests after the warm-up. `HEARTH_SOAK_REQUESTS=3000 npx vitest run --project drills test/attack/steady-memory.test.ts`
 * measures a slope; the short form only notices memory that is kept for each request in large pieces.
 */
const requests = Number(process.env['HEARTH_SOAK_REQUESTS'] ?? 300);
const isLong = requests >= 3000;
/** The long form begins after the first collection of V8's old generation, whose pages are then reused. */
const warmUpRequests = isLong ? 2500 : 600;
const idleMs = isLong ? 10_000 : 0;
/** V8 collects its old generation after about this much growth; on a busy machine, after more. */
const garbageBytes = 32 * 1024 * 1024;
/** Limit of the short form, which continues while uncollected garbage hides the result. */
const maxRequests = isLong ? requests : 5 * requests;

/**
 * Makes V8 collect early in the short form: by default, its limit depends on the version of Node.js and the speed of
 * the machine.
 */
const heapLimit = { NODE_OPTIONS: '--max-old-space-size=96' };
const hearth = useHearth(async () => (isLong ? {} : { environment: heapLimit }));

const chat = 'hearth/starter-chat';
const input = 'Hello!';
const messages = [{ role: 'user', content: input }];
const short = { model: chat, max_tokens: 8 };
/** Requests that users mix, and the status of their answers. */
const kinds: readonly (readonly [path: string, body: object, status: number])[] = [
  ['/api/v1/chat', { model: chat, input, reasoning: 'off', max_output_tokens: 8 }, 200],
  ['/api/v1/chat', { model: chat, input, max_output_tokens: 8, stream: true }, 200],
  ['/v1/chat/completions', { ...short, messages, stream: true }, 200],
  ['/v1/responses', { model: chat, input, max_output_tokens: 16 }, 200],
  ['/v1/messages', { ...short, messages }, 200],
  ['/api/chat', { model: chat, messages, options: { num_predict: 8 } }, 200],
  ['/v1/completions', { ...short, prompt: 'The tide' }, 200],
  ['/v1/embeddings', { model: 'hearth/starter-embed', input }, 200],
  ['/api/v1/chat', { model: chat, input, temperature: 7 }, 400],
  ['/api/v1/chat', { model: 'nobody/nothing', input }, 404],
];

/** One request of a kind that `random` chooses; one in ten breaks off after its head. */
const sendOne = async (random: () => number): Promise<void> => {
  const kind = kinds[Math.floor(random() * kinds.length)];
  if (kind === undefined) throw new Error('no kind');
  const [path, body, expected] = kind;
  const response = await postRaw(hearth.url, path, JSON.stringify(body));
  expect(response.status, path).toBe(expected);
  await (random() < 0.1 ? response.body?.cancel() : response.text());
};

it(
  'keeps no memory for mixed requests that are answered or broken off',
  async () => {
    const random = seededRandom();
    for (let count = 0; count < warmUpRequests; count += 1) await sendOne(random);
    const samples: { readonly request: number; readonly bytes: number }[] = [];
    const sample = async (request: number): Promise<void> => {
      samples.push({ request, bytes: (await residentBytes(hearth.pid)) ?? 0 });
    };
    const grownBytes = (): number => (samples.at(-1)?.bytes ?? 0) - (samples[0]?.bytes ?? 0);
    let request = 0;
    for (; request <= maxRequests; request += 1) {
      if (request % 50 === 0) {
        await sample(request);
        if (request >= requests && grownBytes() < garbageBytes + requests * 1024) break;
      }
      await sendOne(random);
    }
    await setTimeout(idleMs);
    await sample(request);
    expect(grownBytes()).toBeLessThan(garbageBytes + requests * 1024);
    const slope = slopeOf(samples);
    console.log(
      `${slope.toFixed(0)} bytes per request; ${grownBytes()} bytes in ${request} requests`,
    );
    // The short form has too few requests: fewer than come between two collections of V8's old generation.
    expect(isLong ? slope : 0).toBeLessThan(1024);
  },
  20 * 60_000,
);

/** Bytes per request, by least squares. */
function slopeOf(samples: readonly { readonly request: number; readonly bytes: number }[]): number {
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  const meanRequest = mean(samples.map(({ request }) => request));
  const meanBytes = mean(samples.map(({ bytes }) => bytes));
  const covariance = samples.map(
    ({ request, bytes }) => (request - meanRequest) * (bytes - meanBytes),
  );
  const variance = samples.map(({ request }) => (request - meanRequest) ** 2);
  return mean(covariance) / mean(variance);
}
