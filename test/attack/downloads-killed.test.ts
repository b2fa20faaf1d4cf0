import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { get, post } from '../setup/api.ts';
import { startFakeHub, type FakeHub } from '../setup/fake-hub.ts';
import { sha256OfFile } from '../setup/fake-hub-content.ts';
import { makeHome, removeHome, startHearth, type HearthProcess } from '../setup/hearth-process.ts';

/** `HEARTH_TEST_KILLS=50` kills as often, in a file of 200 MB. */
const killCount = Number(process.env['HEARTH_TEST_KILLS'] ?? 6);
const sizeBytes = Math.max(40, killCount * 4) * 1_000_000;
const file = 'large-Q8_0.gguf';

let hub: FakeHub;
let home: string;
beforeAll(async () => {
  home = await makeHome();
  hub = await startFakeHub({
    repositories: [{ name: 'acme/Large-GGUF', files: { [file]: { sizeBytes, seed: 3 } } }],
  });
});
afterAll(async () => {
  await removeHome(home);
  await hub.close();
});

const startServer = () => startHearth({ home, environment: { HEARTH_HUB_ENDPOINT: hub.url } });

async function downloadedBytes({ url }: HearthProcess, jobId: string): Promise<number> {
  const { body } = await get(url, `/api/v1/models/download/status/${jobId}`);
  return body.downloaded_bytes;
}

it(
  `loses nothing that was on disk when the server is killed ${killCount} times at a random byte`,
  { timeout: 30_000 + killCount * 10_000 },
  async () => {
    // Slow enough that the moment of the kill hits the byte that was drawn.
    hub.faults.add({ kind: 'throttle', bytesPerSecond: 40_000_000 });
    let hearth = await startServer();
    const model = 'https://huggingface.co/acme/Large-GGUF';
    const { body } = await post(hearth.url, '/api/v1/models/download', { model });
    const jobId: string = body.job_id;
    const lines: string[] = [];
    let onDisk = 0;
    for (let kill = 1; kill <= killCount; kill += 1) {
      const share = (sizeBytes - 1_000_000 - onDisk) / (killCount - kill + 2);
      const target = onDisk + Math.random() * 2 * share;
      while ((await downloadedBytes(hearth, jobId)) < target);
      const seen = await downloadedBytes(hearth, jobId);
      await hearth.kill();
      // The hub says nothing meanwhile, so that what is counted is what was kept.
      const silence = hub.faults.add({ kind: 'silence', path: file });
      hearth = await startServer();
      const server = hearth;
      await expect.poll(() => downloadedBytes(server, jobId)).toBeGreaterThanOrEqual(seen);
      onDisk = await downloadedBytes(hearth, jobId);
      silence.remove();
      hub.faults.release();
      lines.push(`kill ${kill}: ${seen} bytes seen, ${onDisk} after the restart`);
    }
    hub.faults.clear();
    const status = async () =>
      (await get(hearth.url, `/api/v1/models/download/status/${jobId}`)).body.status;
    await expect.poll(status, { timeout: 20_000 }).toBe('completed');
    const [listed] = hub.repository('acme/Large-GGUF').listing() as { lfs?: { oid: string } }[];
    const path = join(home, 'models/acme/Large-GGUF', file);
    expect(await sha256OfFile(path)).toBe(listed?.lfs?.oid);
    if (killCount >= 50) console.log(lines.join('\n'));
    await hearth.stop();
  },
);
