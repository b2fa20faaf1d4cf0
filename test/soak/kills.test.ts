import { setTimeout } from 'node:timers/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cpuMicroseconds } from '../../bench/process-usage.ts';
import { openSqlite } from '../../src/platform/sqlite.ts';
import { deferred } from '../setup/deferred.ts';
import { isRunning } from '../setup/processes/is-running.ts';
import { seededRandom } from '../setup/seeded-random.ts';
import { get, post } from '../setup/server/api.ts';
import { enginePidOf, loadedEngines } from '../setup/server/loaded-engines.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { startChatClients } from './chat-clients.ts';
import { describeTimes, drillSize, report } from './drill.ts';
import { Ledger } from './ledger.ts';

/** Long form: `npm run soak -- kills --count 100` */
const { count: kills, isShort } = drillSize({ count: 5 });
const model = 'hearth/starter-chat';
/** Limit of CPU time for a start, only in the long form: in the suite, other work on the machine must not fail the drill. */
const startsWithinMs = isShort ? Number.POSITIVE_INFINITY : 2000;

const hearth = useHearth({ flags: ['--engine-parallel=4'] });

it(
  `loses nothing that was acknowledged when server and engine are killed ${kills} times under load`,
  { timeout: 60_000 + kills * 20_000 },
  async () => {
    const random = seededRandom();
    const ledger = new Ledger();
    let running = deferred<string>();
    running.resolve(hearth.url);
    const clients = startChatClients({
      count: 8,
      model,
      ledger,
      server: () => running.promise,
    });
    const startTimes: number[] = [];
    const answerTimes: number[] = [];
    const processorTimes: number[] = [];
    const engineTimes: number[] = [];
    const losses: string[] = [];
    let verified = 0;

    async function killEngine(): Promise<void> {
      process.kill(await enginePidOf(hearth, model), 'SIGKILL');
      const killed = performance.now();
      const request = { model, input: 'Hello!', reasoning: 'off', store: false };
      const isAnswered = async () => (await post(hearth.url, '/api/v1/chat', request)).status;
      await expect.poll(isAnswered, { interval: 5, timeout: 30_000 }).toBe(200);
      engineTimes.push(performance.now() - killed);
    }
    async function killServer(): Promise<void> {
      const orphan = loadedEngines(hearth.log()).at(-1)?.pid;
      running = deferred<string>();
      await hearth.kill();
      const killed = performance.now();
      await hearth.restart();
      startTimes.push(performance.now() - killed);
      processorTimes.push((cpuMicroseconds(hearth.pid) ?? 0) / 1000);
      const [newest] = ledger.ids().slice(-1);
      const path = newest === undefined ? '/health' : `/api/v1/responses/${newest}`;
      expect((await get(hearth.url, path)).status).toBe(200);
      answerTimes.push(performance.now() - killed);
      running.resolve(hearth.url);
      losses.push(...(await ledger.findLosses(hearth.url, ledger.ids().slice(verified))));
      verified = Math.max(0, ledger.ids().length - 1);
      const isOrphaned = async () => orphan !== undefined && isRunning(orphan);
      await expect.poll(isOrphaned, { timeout: 30_000 }).toBe(false);
    }

    for (let kill = 0; kill < kills; kill += 1) {
      await setTimeout(50 + random() * 950);
      // The first two kills are one of the engine and one of the server.
      await (kill === 0 || (kill > 1 && random() < 0.5) ? killEngine() : killServer());
    }
    await clients.stop();

    losses.push(...(await ledger.findLosses(hearth.url)));
    const failed = [...clients.failed].map(([code, count]) => `${code} ${count}`).join(', ');
    report(
      `kills: ${startTimes.length} of the server, ${engineTimes.length} of the engine; ` +
        `${clients.answered} answers acknowledged, ${ledger.deletedCount} deletions; ` +
        `requests that failed: ${failed}; lost: ${losses.length}`,
    );
    report(
      `kills: server listens after ${describeTimes(startTimes)}; ` +
        `processor time ${describeTimes(processorTimes)}`,
    );
    report(`kills: first stored response read after ${describeTimes(answerTimes)}`);
    report(`kills: next answer after the end of an engine: ${describeTimes(engineTimes)}`);
    expect(losses).toEqual([]);
    expect(ledger.storedCount).toBeGreaterThan(kills);
    expect(startTimes.length).toBeGreaterThan(0);
    expect(engineTimes.length).toBeGreaterThan(0);
    for (const time of processorTimes) expect(time).toBeLessThan(startsWithinMs);

    await hearth.stop();
    const database = openSqlite(join(hearth.home, 'hearth.db'), { isReadOnly: true });
    expect(database.prepare('pragma integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
    database.close();
    await hearth.restart();
  },
);
