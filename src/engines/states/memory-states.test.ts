import { writeFile } from 'node:fs/promises';
import { expect, it, onTestFinished } from 'vitest';
import { makeFolder, removeFolder } from '../../../test/setup/temporary-folder.ts';
import { MemoryStates } from './memory-states.ts';
import { prefixHash } from './prefix-hash.ts';

async function setUp(freeBytes = 1000) {
  const folder = await makeFolder();
  onTestFinished(() => removeFolder(folder));
  const options = { folder, maxBytes: 100, bytesPerToken: 1, freeBytes: async () => freeBytes };
  const memory = new MemoryStates(options);
  const add = async (fileName: string, text: string, heldTokens: number) => {
    const prefix = prefixHash(null, { kind: 'completion', prompt: text, sampling: {} });
    await writeFile(memory.pathOf(fileName), 'x'.repeat(heldTokens));
    const prompt = { ownerId: null, responseId: null, prefix, tokens: heldTokens, heldTokens };
    return memory.add(fileName, prompt, false);
  };
  return { memory, add };
}

it('reserves the room of files that are written at once', async () => {
  const { memory, add } = await setUp();
  const files = await Promise.all([40, 40, 40].map((tokens) => memory.newFile(tokens)));
  const [first = '', second = '', third] = files;
  expect(third).toBeUndefined();
  await add(first, 'a', 40);
  await memory.removeFile(second);
  expect(await memory.newFile(60)).toEqual(expect.stringMatching(/^[0-9a-f]{16}\.bin$/));
  expect(memory.list()).toHaveLength(1);
  expect(await memory.newFile(101)).toBeUndefined();
});

it('removes the least recently used states for a new file', async () => {
  const { memory, add } = await setUp();
  const states = [];
  for (const text of ['a', 'b', 'c']) {
    states.push(await add((await memory.newFile(30)) ?? '', text, 30));
  }
  const [a, b, c] = states;
  if (a !== undefined) memory.touch(a);
  expect(await memory.newFile(20)).toBeDefined();
  expect(memory.list()).toEqual([c, a]);
  expect(memory.list()).not.toContain(b);
});

it('has no more files than the folder has room for', async () => {
  const { memory } = await setUp(50);
  expect(await memory.newFile(30)).toBeDefined();
  expect(await memory.newFile(30)).toBeUndefined();
  expect(await memory.newFile(20)).toBeDefined();
});
