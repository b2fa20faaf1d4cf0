import { truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { plainModel, writeGguf } from '../../../test/setup/models/gguf-writer.ts';
import { readGgufHeader } from './header.ts';
import { useTemporaryFolder } from '../../../test/setup/temporary-folder.ts';

const signal = new AbortController().signal;
const starter = 'models/starter/starter-chat/starter-chat-q8_0.gguf';
const folder = useTemporaryFolder();

async function readBytes(bytes: Uint8Array) {
  const path = join(folder.path, 'some-model.gguf');
  await writeFile(path, bytes);
  return readGgufHeader(path, signal);
}

describe('readGgufHeader', () => {
  test('reads a starter model', async () => {
    const header = await readGgufHeader(starter, signal);
    expect(header.version).toBe(3);
    expect(header.tensorCount).toBe(56);
    expect(header.metadata.values.get('general.architecture')).toBe('llama');
    expect(header.metadata.values.get('llama.context_length')).toBe(4096);
    expect(header.metadata.values.get('tokenizer.ggml.add_bos_token')).toBe(false);
    expect(header.metadata.values.get('tokenizer.chat_template')).toContain('enable_thinking');
    expect(header.tensors.parameterCount).toBe(2_902_464);
    expect([...header.tensors.bytesByType.keys()].toSorted()).toEqual(['F32', 'Q8_0']);
    expect(header.dataOffset).toBe(40_640);
  });

  test('skips tokens and merges but counts them', async () => {
    const { metadata } = await readGgufHeader(starter, signal);
    expect(metadata.values.has('tokenizer.ggml.tokens')).toBe(false);
    expect(metadata.arrayLengths.get('tokenizer.ggml.tokens')).toBe(1280);
    expect(metadata.arrayLengths.get('tokenizer.ggml.merges')).toBe(1008);
  });

  test('reads version 2, numbers of every width and short arrays', async () => {
    const header = await readBytes(
      writeGguf({
        version: 2,
        metadata: {
          ...plainModel,
          'a.float': { float: 0.5 },
          'a.long': { uint64: 5_000_000_000n },
          'a.layers': [8, 0, 8],
          'a.flags': [true, false],
        },
      }),
    );
    const { values } = header.metadata;
    expect(header.version).toBe(2);
    expect(values.get('a.float')).toBe(0.5);
    expect(values.get('a.long')).toBe(5_000_000_000);
    expect(values.get('a.layers')).toEqual([8, 0, 8]);
    expect(values.get('a.flags')).toEqual([1, 0]);
  });

  test('leaves out a string that is too long to keep', async () => {
    const { metadata } = await readBytes(
      writeGguf({ metadata: { 'a.long': 'x'.repeat(300_000), 'a.after': 'kept' } }),
    );
    expect(metadata.values.has('a.long')).toBe(false);
    expect(metadata.values.get('a.after')).toBe('kept');
  });

  test('reads values on both sides of a window', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 500 }, (_, index) => [`key.${index}`, `${index} `.repeat(300)]),
    );
    const { metadata } = await readBytes(writeGguf({ metadata: many }));
    expect(metadata.values.size).toBe(500);
    expect(metadata.values.get('key.499')).toBe('499 '.repeat(300));
  });

  test.each<[string, () => Uint8Array]>([
    ['is empty', () => Buffer.alloc(0)],
    ['is not a GGUF file', () => Buffer.from('GG')],
    ['is not a GGUF file', () => Buffer.from('<!doctype html><title>Not found</title>')],
    ['is truncated: its header', () => Buffer.from('GGUF\x03\0\0\0')],
    ['is truncated: its header', () => writeGguf({ metadata: plainModel }).subarray(0, 90)],
    ['is truncated: it has', () => writeGguf({ metadata: plainModel }).subarray(0, -100)],
    ['holds no tensors', () => writeGguf({ metadata: plainModel, tensors: [] })],
    ['is of GGUF version 1', () => writeGguf({ metadata: plainModel, version: 1 })],
    ['is a big-endian', () => writeGguf({ metadata: plainModel, version: 3 * 2 ** 24 })],
    ['unknown GGUF version 9', () => writeGguf({ metadata: plainModel, version: 9 })],
    ['metadata of the unknown type', () => withValueType(77)],
    ['nested arrays', withNestedArray],
    ['not a power of two', () => writeGguf({ metadata: { 'general.alignment': 48 } })],
    ['of 5 dimensions', () => withTensor({ shape: [32, 1, 1, 1, 1], type: 0 })],
    ['whole Q8_0 blocks', () => withTensor({ shape: [33], type: 8 })],
    ['a tensor name of 400', () => withTensor({ shape: [32], type: 0, name: 'x'.repeat(400) })],
  ])('rejects a file that %s', async (reason, makeFile) => {
    await expect(readBytes(makeFile())).rejects.toMatchObject({
      name: 'HearthError',
      code: 'corrupt_file',
      message: expect.stringMatching(new RegExp(`^The model file some-model.gguf .*${reason}`)),
    });
  });

  test('rejects impossible counts before allocating memory', async () => {
    const file = writeGguf({ metadata: plainModel });
    file.writeBigUInt64LE(2n ** 63n, 8);
    await expect(readBytes(file)).rejects.toThrow('announces 9223372036854776000 tensors');
    file.writeBigUInt64LE(1n, 8);
    file.writeBigUInt64LE(2n ** 40n, 16);
    await expect(readBytes(file)).rejects.toThrow('announces 1099511627776 metadata entries');
  });

  test('rejects a duplicate metadata key', async () => {
    const file = writeGguf({ metadata: { 'a.one': 1, 'a.two': 2 } });
    file.write('a.one', file.indexOf('a.two'));
    await expect(readBytes(file)).rejects.toThrow('has the metadata key "a.one" twice');
  });

  test('rejects overlapping tensors', async () => {
    const tensors = ['one', 'two'].map((name) => ({ name, shape: [32], type: 0 }));
    const file = writeGguf({ metadata: plainModel, tensors });
    file.writeBigUInt64LE(0n, file.indexOf('two') + 3 + 4 + 8 + 4);
    await expect(readBytes(file)).rejects.toThrow('overlap');
  });

  test('names the missing file, without its folder', async () => {
    const read = readGgufHeader(join(folder.path, 'gone.gguf'), signal);
    await expect(read).rejects.toMatchObject({
      code: 'missing_file',
      message: 'The model file gone.gguf does not exist.',
    });
  });

  test('rejects a folder', async () => {
    await expect(readGgufHeader(folder.path, signal)).rejects.toThrow('is not a regular file');
  });

  test('does not read a sparse file of strings forever', async () => {
    const file = writeGguf({ metadata: { 'a.tokens': ['x'] } });
    const length = file.indexOf('a.tokens') + 'a.tokens'.length + 8;
    file.writeBigUInt64LE(2n ** 36n, length);
    const path = join(folder.path, 'sparse.gguf');
    await writeFile(path, file);
    await truncate(path, 2 ** 40);
    await expect(readGgufHeader(path, signal)).rejects.toThrow('has a header of more than');
  });

  test('stops when aborted', async () => {
    await expect(readGgufHeader(starter, AbortSignal.abort(new Error('stop')))).rejects.toThrow(
      'stop',
    );
  });
});

function withTensor(tensor: { shape: number[]; type: number; name?: string }): Buffer {
  return writeGguf({ metadata: plainModel, tensors: [{ name: 'some', ...tensor }] });
}

function withValueType(type: number): Buffer {
  const file = writeGguf({ metadata: { 'a.key': 1 } });
  file.writeUInt32LE(type, file.indexOf('a.key') + 5);
  return file;
}

function withNestedArray(): Buffer {
  const file = writeGguf({ metadata: { 'a.key': [1, 2] } });
  file.writeUInt32LE(9, file.indexOf('a.key') + 9);
  return file;
}
