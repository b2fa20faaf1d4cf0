import { randomBytes } from 'node:crypto';
import { readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';
import { extractState, readDescription, writeStateFile } from './state-file.ts';

const never = new AbortController().signal;
const description = {
  key: 'k',
  ownerId: 'token',
  responseId: 'resp_1',
  tokens: 7,
  heldTokens: 9,
  chain: { hashes: ['a', 'b'], ends: [3, 6] },
};

describe('a state file', () => {
  let folder: string;
  let file: string;
  let target: string;
  const data = randomBytes(3_000_001);

  beforeEach(async () => {
    folder = await temporaryFolder();
    file = join(folder, 'kept.state');
    target = join(folder, 'engine.bin');
    await writeFile(join(folder, 'source.bin'), data);
    await writeStateFile(join(folder, 'source.bin'), file, description, never);
  });

  it('gives back description and data, and is private to the user', async () => {
    expect(await readDescription(file)).toMatchObject({ ...description, dataBytes: data.length });
    await extractState(file, target, never);
    expect((await readFile(target)).equals(data)).toBe(true);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(target)).mode & 0o777).toBe(0o600);
  });

  it.each([1, 4, 40, 200, 2_000_000, 3_000_100])(
    'is refused without its last %i bytes',
    async (bytes) => {
      const { size } = await stat(file);
      await truncate(file, size - bytes);
      await expect(extractState(file, target, never)).rejects.toThrow(/state|truncated|short/);
    },
  );

  it('is refused with any flipped byte', async () => {
    const original = await readFile(file);
    const places = [0, 1_500_000, data.length - 1, data.length + 5, original.length - 50];
    for (const place of [
      ...places,
      original.length - 40,
      original.length - 34,
      original.length - 1,
    ]) {
      const changed = Buffer.from(original);
      changed[place] = (changed[place] ?? 0) ^ 1;
      await writeFile(file, changed);
      await expect(extractState(file, `${target}${place}`, never), `${place}`).rejects.toThrow(
        /state|size/,
      );
    }
  });

  it('is refused with additional data, and so is a file of another kind', async () => {
    await writeFile(file, Buffer.concat([Buffer.from('x'), await readFile(file)]));
    await expect(readDescription(file)).rejects.toThrow('another size');
    await writeFile(file, '{"not": "a state"}'.repeat(100));
    await expect(readDescription(file)).rejects.toThrow('does not end like a state');
    await writeFile(file, '');
    await expect(readDescription(file)).rejects.toThrow('too short');
  });

  it('stops copying when aborted', async () => {
    const aborted = AbortSignal.abort(new Error('enough'));
    await expect(extractState(file, target, aborted)).rejects.toThrow('enough');
    await expect(
      writeStateFile(join(folder, 'source.bin'), join(folder, 'b'), description, aborted),
    ).rejects.toThrow('enough');
  });
});
