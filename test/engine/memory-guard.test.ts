import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  createTestEngines,
  starterPath,
  starterSpec,
  type TestEngines,
} from '../setup/engine/test-engines.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';

const mebibyte = 1024 * 1024;
let engines: TestEngines;
beforeAll(async () => {
  engines = await createTestEngines({
    spareBytes: () => 128 * mebibyte,
    availableBytes: () => Infinity,
  });
});
afterAll(() => engines.close());

/** The starter chat model with a template that grows endlessly; the engine applies it while loading. */
async function placeEndlessTemplate(): Promise<string> {
  const file = await readFile(starterPath('chat'));
  const key = Buffer.from('tokenizer.chat_template');
  const start = file.indexOf(key) + key.length + 4;
  const length = Number(file.readBigUInt64LE(start));
  const template =
    '{% set ns = namespace(t="x") %}{% for a in range(99999) %}{% for b in range(99999) %}' +
    '{% set ns.t = ns.t + "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" %}{{ ns.t }}{% endfor %}{% endfor %}';
  file.write(template.padEnd(length), start + 8, 'latin1');
  const path = join(await temporaryFolder(), 'endless.gguf');
  await writeFile(path, file);
  return path;
}

it('ends an engine that takes far more memory while it loads', async () => {
  const modelPath = await placeEndlessTemplate();
  const launched = engines.launch('chat', { modelPath, expectedBytes: 100 * mebibyte });
  await expect(launched).rejects.toMatchObject({
    code: 'engine_exited',
    message: expect.stringMatching(
      /^The engine stopped while it loaded the model \(endless\.gguf\): the memory guard ended it, as it took .* and at most .* are allowed$/,
    ),
  });
});

it('does not report too little memory for a loading engine that another process kills', async () => {
  const command = join(await temporaryFolder(), 'engine');
  await writeFile(command, '#!/bin/sh\nkill -9 $$\n', { mode: 0o755 });
  const { runtime } = await starterSpec('chat');
  await expect(engines.launch('chat', { runtime: { ...runtime, command } })).rejects.toMatchObject({
    code: 'engine_exited',
    message: expect.stringContaining('ended by SIGKILL'),
  });
});
