import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  begin,
  chunkBytes,
  setUpDownloads,
  untilEnded,
} from '../../../test/setup/downloads/download-setup.ts';

const sizeBytes = 6 * chunkBytes + 99;
const oneFile = { 'tiny-Q4_K_M.gguf': { sizeBytes, seed: 1 } };

describe('room on a disk without sparse files', () => {
  it('is not needed again for what a file system without sparse files allocated', async () => {
    const setup = await setUpDownloads(oneFile);
    const silence = setup.hub.faults.add({ kind: 'silence' });
    let freeBytes = sizeBytes;
    const manager = setup.manager({ readFreeBytes: async () => freeBytes });
    const { id } = await begin(manager);
    const part = join(setup.modelsFolder, '.downloads', id, '0.part');
    await expect
      .poll(() =>
        stat(part).then(
          ({ size }) => size,
          () => 0,
        ),
      )
      .toBe(sizeBytes);
    await manager.pause(id);
    silence.remove();
    const sparseBytes = (await stat(part)).blocks * 512;
    expect(sparseBytes).toBeLessThan(sizeBytes);
    freeBytes = 0;
    await expect(manager.resume(id)).rejects.toMatchObject({ code: 'insufficient_disk' });
    // NTFS and exFAT allocate the whole file when its size is set.
    const handle = await open(part, 'r+');
    await handle.write(Buffer.alloc(sizeBytes));
    await handle.sync();
    await handle.close();
    await manager.resume(id);
    expect(await untilEnded(manager, id)).toMatchObject({ status: 'completed' });
  });

  it('is checked before a file takes its size', async () => {
    const setup = await setUpDownloads(oneFile);
    let looks = 0;
    // The free space disappears between the request and the start of the job.
    const manager = setup.manager({ readFreeBytes: async () => ((looks += 1) === 1 ? 1e9 : 0) });
    const { id } = await begin(manager);
    expect(await untilEnded(manager, id)).toMatchObject({ failure: { code: 'insufficient_disk' } });
    expect(await readdir(join(setup.modelsFolder, '.downloads', id))).toEqual([]);
  });
});
