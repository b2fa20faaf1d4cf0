import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { writeScriptedEngine } from '../setup/engine/scripted-engine.ts';
import type { ScriptedGeneration } from '../setup/engine/scripted-llama-server.ts';
import { post, postRaw } from '../setup/server/api.ts';
import { waitForRequests } from '../setup/server/instances.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { drillSize, describeTimes, report } from './drill.ts';
import { readFigures } from './process-figures.ts';

/** Long form: `npm run soak -- slow-readers --seconds 300` */
const { seconds, isShort } = drillSize({});
const model = 'hearth/starter-chat';
/** Larger than the buffers of a connection. */
const longAnswer = { text: 'x'.repeat(1000), times: 16_000 };
const garbageMiB = 64;

const hearth = useHearth(async (home) => ({
  flags: [
    `--engine-llama-server=${await writeScriptedEngine(home, 65_536)}`,
    '--engine-parallel=4',
    '--log-level=warn',
  ],
}));

const ask = (generation: ScriptedGeneration) => ({
  model,
  messages: [{ role: 'user', content: JSON.stringify([generation]) }],
});
const path = '/api/v0/chat/completions';

/** Requests a long answer and does not read it. */
async function stall(): Promise<Socket> {
  const { hostname, port } = new URL(hearth.url);
  const body = JSON.stringify({ ...ask(longAnswer), stream: true });
  const socket = connect(Number(port), hostname).pause();
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  return socket;
}

/** Reads a long answer in small pieces, with pauses. */
async function trickle(): Promise<number> {
  const response = await postRaw(
    hearth.url,
    path,
    JSON.stringify({ ...ask(longAnswer), stream: true }),
  );
  let length = 0;
  for await (const piece of response.body ?? []) {
    length += piece.length;
    await setTimeout(2);
  }
  return length;
}

it(
  'answers others while some read slowly or not at all, and ends those that do not read',
  { timeout: 240_000 + seconds * 1500 },
  async () => {
    await post(hearth.url, '/api/v1/models/load', { model });
    const answerTimes: number[] = [];
    const residents: number[] = [];
    const end = performance.now() + seconds * 1000;
    let rounds = 0;
    do {
      const isOver = new AbortController();
      const others = Array.from({ length: 4 }, async () => {
        while (!isOver.signal.aborted) {
          const begun = performance.now();
          const { status } = await post(hearth.url, path, ask({ text: 'Hello.' }));
          expect(status).toBe(200);
          answerTimes.push(performance.now() - begun);
          await setTimeout(20);
        }
      });
      const slow = Array.from({ length: 2 }, trickle);
      const stalled = await Promise.all(Array.from({ length: 2 }, stall));
      const lengths = await Promise.all(slow).finally(() => isOver.abort());
      for (const length of lengths) expect(length).toBeGreaterThan(longAnswer.times * 1000);
      await Promise.all(others);
      // Their slots are free although the clients stay connected.
      await waitForRequests(hearth.url, model, 0, 90_000);
      for (const socket of stalled) socket.destroy();
      residents.push((await readFigures(hearth)).residentMiB);
      rounds += 1;
    } while (performance.now() < end);
    report(
      `slow-readers: ${rounds} rounds with 2 stalled and 2 slow readers; ${answerTimes.length} other ` +
        `answers, ${describeTimes(answerTimes)}; RSS ${residents[0]?.toFixed(0)} → ` +
        `${residents.at(-1)?.toFixed(0)} MiB, highest ${Math.max(...residents).toFixed(0)}`,
    );
    if (isShort) return;
    // Ignores the first rounds, which fill the heap.
    const settled = residents.slice(Math.floor(residents.length / 4));
    expect((settled.at(-1) ?? 0) - (settled[0] ?? 0)).toBeLessThan(garbageMiB);
  },
);
