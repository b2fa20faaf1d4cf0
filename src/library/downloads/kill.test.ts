import { expect, it, onTestFinished, vi } from 'vitest';
import { deferred } from '../../../test/setup/deferred.ts';
import { createHttpClient, type HttpClient } from '../../platform/net/http-client.ts';
import type { DownloadJob } from './downloads.ts';
import {
  repositoryName,
  setUpDownloads,
  untilJob,
} from '../../../test/setup/downloads/download-setup.ts';
import { seededRandom } from '../../../test/setup/seeded-random.ts';

const file = 'tiny.gguf';
const sizeBytes = 9 * 1024 * 1024 + 4321;
const chunkBytes = 1024 * 1024;
const killCount = 50;

/** A client whose process dies after this many bytes: from then on, its requests neither deliver data nor fail. */
function createMortalClient(http: HttpClient, lifeBytes: number, never: Promise<never>) {
  let deliveredBytes = 0;
  const death = deferred<void>();
  const client: HttpClient = {
    async get(url, options) {
      if (deliveredBytes >= lifeBytes) return never;
      const response = await http.get(url, options);
      return { ...response, body: mortal(response.body) };
    },
    close: () => http.close(),
  };
  async function* mortal(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of body) {
      const left = lifeBytes - deliveredBytes;
      deliveredBytes += Math.min(piece.length, Math.max(0, left));
      if (left > 0) yield piece.subarray(0, left);
      if (deliveredBytes >= lifeBytes) {
        death.resolve();
        await never;
      }
    }
  }
  return { client, death: death.promise, delivered: () => deliveredBytes };
}

it(
  'loses less than a chunk in each of fifty kills at a random byte',
  { timeout: 60_000, tags: 'slow' },
  async () => {
    // A dead process has no timers. Otherwise the timer of `fetchRange` would write the bytes received so far.
    vi.useFakeTimers({ toFake: ['setInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const setup = await setUpDownloads({ [file]: { sizeBytes, seed: 9 } });
    const http = createHttpClient({ environment: {} });
    onTestFinished(() => http.close());
    // Dead processes wait for this promise until the end of the test.
    const burial = deferred<never>();
    burial.promise.catch(() => {});
    onTestFinished(() => burial.reject(new Error('buried')));
    const random = seededRandom();
    const losses: number[] = [];
    let last: DownloadJob | undefined;
    let onDisk = 0;
    let id = '';
    for (let kill = 0; kill <= killCount; kill += 1) {
      const lifeBytes =
        kill === killCount ? Infinity : 1 + Math.floor(random() * (sizeBytes / killCount) * 1.9);
      const mortal = createMortalClient(http, lifeBytes, burial.promise);
      let isDead = false;
      const { downloads } = setup.store;
      const manager = setup.manager({
        http: mortal.client,
        // A dead process no longer writes to the store.
        store: {
          ...downloads,
          update: async (download) => isDead || downloads.update(download),
        },
        transfer: { chunkBytes },
      });
      await manager.continueInterrupted();
      if (id === '') {
        const start = await manager.start({ model: repositoryName }, new AbortController().signal);
        if (start.kind === 'job') ({ id } = start.job);
      }
      const ended = untilJob(manager, id, ({ status }) => isDead || status !== 'downloading');
      await Promise.race([mortal.death, ended]);
      isDead = lifeBytes !== Infinity;
      const atDeath = await manager.find(id);
      losses.push(onDisk + mortal.delivered() - atDeath.downloadedBytes);
      onDisk = atDeath.downloadedBytes;
      last = atDeath;
    }
    expect(last).toMatchObject({ status: 'completed', failure: null });
    // Less than a chunk of the received bytes was unrecorded.
    expect(losses).toHaveLength(killCount + 1);
    expect(Math.max(...losses)).toBeLessThan(chunkBytes);
    expect(await setup.isRight(file)).toBe(true);
  },
);
