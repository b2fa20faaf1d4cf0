import { join } from 'node:path';
import { expect, it } from 'vitest';
import { get, post } from '../setup/server/api.ts';
import { startFakeHub } from '../setup/hub/fake-hub.ts';
import { sha256OfFile } from '../setup/hub/fake-hub-content.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { useResource } from '../setup/use-resource.ts';
import { seededRandom } from '../setup/seeded-random.ts';

/** Number of kills. `HEARTH_TEST_KILLS=50` uses a file of 200 MB. */
const killCount = Number(process.env['HEARTH_TEST_KILLS'] ?? 6);
const sizeBytes = Math.max(40, killCount * 4) * 1_000_000;
const file = 'large-Q8_0.gguf';
const chunkBytes = 16 * 1024 * 1024;

const hub = useResource(() =>
  startFakeHub({
    repositories: [{ name: 'acme/Large-GGUF', files: { [file]: { sizeBytes, seed: 3 } } }],
  }),
);
const hearth = useHearth(() => ({ environment: { HEARTH_HUB_ENDPOINT: hub.url } }));

async function downloadedBytes(jobId: string): Promise<number> {
  const { body } = await get(hearth.url, `/api/v1/models/download/status/${jobId}`);
  return body.downloaded_bytes;
}

it(
  `loses less than a chunk each time when the server is killed ${killCount} times at a random byte`,
  { timeout: 30_000 + killCount * 10_000 },
  async () => {
    const random = seededRandom();
    hub.faults.add({ kind: 'throttle', bytesPerSecond: 8_000_000 });
    const model = 'https://huggingface.co/acme/Large-GGUF';
    const { body } = await post(hearth.url, '/api/v1/models/download', { model });
    const jobId: string = body.job_id;
    const lines: string[] = [];
    let onDisk = 0;
    for (let kill = 1; kill <= killCount; kill += 1) {
      const sentBefore = hub.sentBytes;
      const share = (sizeBytes - onDisk) / (killCount - kill + 2);
      const target = random() * 2 * share;
      const sent = (): number => hub.sentBytes - sentBefore;
      await expect.poll(sent, { interval: 1, timeout: 20_000 }).toBeGreaterThanOrEqual(target);
      const seen = await downloadedBytes(jobId);
      await hearth.kill();
      // The hub sends nothing in the meantime, so that the count includes only kept bytes.
      const silence = hub.faults.add({ kind: 'silence', path: file });
      const received = onDisk + sent();
      await hearth.restart();
      onDisk = await downloadedBytes(jobId);
      expect(onDisk).toBeGreaterThanOrEqual(seen);
      expect(received - onDisk).toBeLessThan(chunkBytes);
      silence.remove();
      hub.faults.release();
      lines.push(`kill ${kill}: ${received} bytes sent, ${seen} seen, ${onDisk} after the restart`);
    }
    hub.faults.clear();
    const status = async () =>
      (await get(hearth.url, `/api/v1/models/download/status/${jobId}`)).body.status;
    await expect.poll(status, { timeout: 20_000 }).toBe('completed');
    const [listed] = hub.repository('acme/Large-GGUF').listing() as { lfs?: { oid: string } }[];
    const path = join(hearth.home, 'models/acme/Large-GGUF', file);
    expect(await sha256OfFile(path)).toBe(listed?.lfs?.oid);
    if (killCount >= 50) console.log(lines.join('\n'));
  },
);
