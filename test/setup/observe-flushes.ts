import { open, type FileHandle } from 'node:fs/promises';
import { onTestFinished, vi } from 'vitest';

/** Calls `observe` with the inode of each file and folder that this process flushes to the disk, until the test ends. */
export async function observeFlushes(observe: (file: number) => void): Promise<void> {
  const handle = await open(import.meta.filename, 'r');
  const prototype = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  const spy = vi.spyOn(prototype, 'sync').mockImplementation(async function (this: FileHandle) {
    await this.datasync();
    observe((await this.stat()).ino);
  });
  onTestFinished(() => spy.mockRestore());
}
