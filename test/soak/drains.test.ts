import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { deferred } from '../setup/deferred.ts';
import { seededRandom } from '../setup/seeded-random.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { startChatClients } from './chat-clients.ts';
import { describeTimes, drillSize, report } from './drill.ts';
import { Ledger } from './ledger.ts';

/** Long form: `npm run soak -- drains --count 20` */
const { count: drains } = drillSize({ count: 1 });
const clientCount = 16;
const refusals = new Set(['shutting_down', 'delete 503']);

const hearth = useHearth({
  flags: ['--engine-parallel=4', '--limits-shutdown-seconds=600', '--log-level=error'],
});

it(
  `answers every request that runs when the server is stopped ${drains} times under load`,
  { timeout: 60_000 + drains * 20_000 },
  async () => {
    const random = seededRandom();
    const ledger = new Ledger();
    let running = deferred<string>();
    running.resolve(hearth.url);
    const clients = startChatClients({
      count: clientCount,
      model: 'hearth/starter-chat',
      ledger,
      server: () => running.promise,
    });
    const times: number[] = [];
    for (let drain = 0; drain < drains; drain += 1) {
      const { answered } = clients;
      await expect.poll(() => clients.answered, { timeout: 30_000 }).toBeGreaterThan(answered + 8);
      await setTimeout(random() * 200);
      // New requests wait; running requests must be answered.
      running = deferred();
      const begun = performance.now();
      expect(await hearth.stop()).toBe(0);
      times.push(performance.now() - begun);
      await hearth.restart();
      running.resolve(hearth.url);
    }
    await clients.stop();
    const losses = await ledger.findLosses(hearth.url);
    const failed = [...clients.failed].map(([code, each]) => `${code} ${each}`).join(', ');
    report(
      `drains: ${drains} with ${clientCount} clients, ${describeTimes(times)}; ` +
        `${clients.answered} answers acknowledged, ${ledger.deletedCount} deletions; ` +
        `requests that failed: ${failed || 'none'}; lost: ${losses.length}`,
    );
    expect(losses).toEqual([]);
    // Requests that arrive after the signal are refused.
    const broken = [...clients.failed.keys()].filter((code) => !refusals.has(code));
    expect(broken).toEqual([]);
  },
);
