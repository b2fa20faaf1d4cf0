import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createTestEngines,
  starterPath,
  starterSpec,
  type TestEngines,
} from '../setup/engine/test-engines.ts';
import { useTemporaryFolder } from '../setup/temporary-folder.ts';

const tensorCountOffset = 8;

let engines: TestEngines;
const folder = useTemporaryFolder();
let model: Buffer;

beforeAll(async () => {
  engines = await createTestEngines();
  model = await readFile(starterPath('chat'));
});
afterAll(() => engines.close());

function withoutTensors(bytes: Buffer): Buffer {
  const changed = Buffer.from(bytes);
  changed.writeBigUInt64LE(0n, tensorCountOffset);
  return changed;
}

describe('a bad model file', () => {
  it.each([
    ['empty', 'corrupt_file', () => Buffer.alloc(0)],
    ['cut in the header', 'corrupt_file', () => model.subarray(0, 100)],
    ['cut in the weights', 'corrupt_file', () => model.subarray(0, 1_000_000)],
    ['junk', 'corrupt_file', () => Buffer.alloc(100_000, 'junk')],
    ['without tensors', 'corrupt_file', () => withoutTensors(model)],
    [
      'of an unknown architecture',
      'unsupported_architecture',
      () => Buffer.from(model.toString('latin1').replaceAll('llama', 'llamx'), 'latin1'),
    ],
  ] as const)('%s is %s', async (name, code, bytes) => {
    const modelPath = join(folder.path, `${name.replaceAll(' ', '-')}.gguf`);
    await writeFile(modelPath, bytes());
    const error: unknown = await engines.launch('chat', { modelPath }).catch((caught) => caught);
    expect(error).toMatchObject({ code });
    expect(String(error)).toContain('.gguf');
    expect(String(error)).not.toContain(folder.path);
  });

  it('an invalid projector is corrupt_file', async () => {
    const projectorPath = join(folder.path, 'mmproj.gguf');
    await writeFile(projectorPath, model.subarray(0, 1_000_000));
    await expect(engines.launch('vision', { projectorPath })).rejects.toMatchObject({
      code: 'corrupt_file',
    });
  });

  it('a missing file is missing_file', async () => {
    const modelPath = join(folder.path, 'gone.gguf');
    await expect(engines.launch('chat', { modelPath })).rejects.toMatchObject({
      code: 'missing_file',
      message: 'The model file gone.gguf is missing.',
    });
  });
});

describe('an engine that cannot be started', () => {
  it('is engine_exited when its command is missing', async () => {
    const spec = await starterSpec('chat');
    const runtime = { ...spec.runtime, command: join(folder.path, 'no-such-engine') };
    await expect(engines.launch('chat', { runtime })).rejects.toMatchObject({
      code: 'engine_exited',
      message: expect.stringContaining('ENOENT'),
    });
  });

  it('is engine_exited with its error output', async () => {
    const kvCacheTypes = { k: 'q99_0', v: 'f16' };
    await expect(engines.launch('chat', { kvCacheTypes })).rejects.toMatchObject({
      code: 'engine_exited',
      message: expect.stringContaining('unknown cache type: q99_0'),
    });
  });

  it('is not started with an expert count, which the wheel cannot set', async () => {
    await expect(
      engines.launch('chat', { expertCount: 1, architecture: 'llama' }),
    ).rejects.toMatchObject({ code: 'invalid_value', field: 'expertCount' });
  });

  it('is load_timeout when it takes too long', async () => {
    const command = join(folder.path, 'sleeper');
    await writeFile(command, '#!/bin/sh\nexec sleep 60\n', { mode: 0o755 });
    const runtime = { ...(await starterSpec('chat')).runtime, command };
    await expect(engines.launch('chat', { runtime, loadTimeoutMs: 100 })).rejects.toMatchObject({
      code: 'load_timeout',
    });
  });

  it('has exited when the launch is cancelled', async () => {
    const controller = new AbortController();
    const spec = await starterSpec('chat');
    const launched = engines.launcher.launch(spec, controller.signal);
    controller.abort(new Error('changed my mind'));
    await expect(launched).rejects.toThrow('changed my mind');
  });
});
