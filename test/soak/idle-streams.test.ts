import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { seededRandom, testSeed } from '../setup/seeded-random.ts';
import { post } from '../setup/server/api.ts';
import { openStream } from '../setup/server/live-stream.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { drillSize, median, report } from './drill.ts';
import { countDescriptors, readFigures, type ProcessFigures } from './process-figures.ts';

/** Long form: `npm run soak -- idle-streams --seconds 3600` */
const { seconds, isShort } = drillSize({ seconds: 3 });
const idleCount = 1000;
const activeCount = 64;
const sampleCount = isShort ? 6 : 60;
/** Share of the time after which caches are filled. */
const warmUp = 0.2;
/** V8 collects its old generation after about this much growth. */
const garbageMiB = 32;
const model = 'hearth/starter-chat';

const hearth = useHearth({
  flags: ['--engine-parallel=4', '--log-level=warn'],
});

interface IdleStream {
  /** The bytes received so far. */
  readonly text: () => string;
  readonly close: () => void;
}

async function openIdle(): Promise<IdleStream> {
  const outgoing = request(`${hearth.url}/api/v1/events?topics=models`, { agent: false }).end();
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  let text = '';
  incoming.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
  });
  incoming.on('error', () => {});
  return { text: () => text, close: () => outgoing.destroy() };
}

interface Outcomes {
  answers: number;
  /** Number of streams that did not complete, by their last event. */
  readonly failures: Map<string, number>;
}

/** A client that streams answers, with a pause after each. */
async function chat(random: () => number, until: AbortSignal, outcomes: Outcomes): Promise<void> {
  while (!until.aborted) {
    const body = {
      model,
      input: `Hello ${outcomes.answers}!`,
      reasoning: 'off',
      store: false,
      max_output_tokens: 16,
    };
    const events = await (await openStream(hearth.url, '/api/v1/chat', body)).rest();
    const [before, last] = events.slice(-2);
    if (last?.event === 'chat.end' && before?.event !== 'error') outcomes.answers += 1;
    else {
      const failure = `${before?.data}, ${last?.event}`;
      outcomes.failures.set(failure, (outcomes.failures.get(failure) ?? 0) + 1);
    }
    await setTimeout(random() * 1000);
  }
}

it(
  `holds ${idleCount} idle event streams beside ${activeCount} clients for ${seconds} s`,
  { timeout: 120_000 + seconds * 1500 },
  async () => {
    await post(hearth.url, '/api/v1/models/load', { model });
    const before = await countDescriptors(hearth.pid);
    const idle: IdleStream[] = [];
    while (idle.length < idleCount) {
      idle.push(...(await Promise.all(Array.from({ length: 50 }, openIdle))));
    }
    const stopping = new AbortController();
    const outcomes: Outcomes = { answers: 0, failures: new Map() };
    const chats = Array.from({ length: activeCount }, (_, index) =>
      chat(seededRandom(testSeed + index), stopping.signal, outcomes),
    );
    const samples: ProcessFigures[] = [];
    await setTimeout(seconds * warmUp * 1000);
    await readFigures(hearth);
    for (let sample = 0; sample < sampleCount; sample += 1) {
      await setTimeout((seconds * (1 - warmUp) * 1000) / sampleCount);
      samples.push(await readFigures(hearth));
    }
    stopping.abort();
    await Promise.all(chats);

    const third = Math.ceil(sampleCount / 3);
    const thirds = [samples.slice(0, third), samples.slice(third, -third), samples.slice(-third)];
    const medians = (key: keyof ProcessFigures): readonly number[] =>
      thirds.map((part) => median(part.map((figures) => figures[key])));
    const [residents, descriptors, delays] = [
      medians('residentMiB'),
      medians('descriptors'),
      medians('loopDelayMs'),
    ];
    const show = (values: readonly number[], digits: number): string =>
      values.map((value) => value.toFixed(digits)).join(', ');
    report(
      `idle-streams: ${seconds} s, ${idleCount} streams, ${outcomes.answers} answers; medians of each third: ` +
        `RSS ${show(residents, 0)} MiB; descriptors ${show(descriptors, 0)}; ` +
        `p99 of the event loop's delay ${show(delays, 1)} ms`,
    );
    expect(Object.fromEntries(outcomes.failures)).toEqual({});
    expect((residents[2] ?? 0) - (residents[0] ?? 0)).toBeLessThan(garbageMiB);
    const all = samples.map((figures) => figures.descriptors);
    expect(Math.max(...all) - Math.min(...all)).toBeLessThanOrEqual(2 * activeCount);

    // All streams are alive: each gets the next event.
    const unloading = await post(hearth.url, '/api/v1/models/unload', { instance_id: model });
    expect(unloading.status, JSON.stringify(unloading.body)).toBe(200);
    const unloaded = () => idle.filter(({ text }) => text().includes('instance.unloaded')).length;
    await expect.poll(unloaded, { timeout: 20_000 }).toBe(idleCount);
    for (const { close } of idle) close();
    // Connections that the test itself keeps are not counted.
    const left = async () => (await countDescriptors(hearth.pid)) - before;
    await expect.poll(left, { timeout: 20_000 }).toBeLessThanOrEqual(2 * activeCount);
  },
);
