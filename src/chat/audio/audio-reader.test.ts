import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { bundleScript } from '../../../test/setup/engine/test-engines.ts';
import { useTemporaryFolder } from '../../../test/setup/temporary-folder.ts';
import { AudioReader } from './audio-reader.ts';
import { writeWav } from '../../kernel/wav.ts';

const folder = useTemporaryFolder();
let script: string;
beforeAll(async () => {
  script = await bundleScript('src/chat/audio/audio-thread-main.ts', folder.path);
});
afterEach(() => {
  vi.useRealTimers();
});
const { signal } = new AbortController();
const options = { clientKey: 'me', maxSeconds: 10, signal, field: 'input' };
const wav = (seconds: number) =>
  writeWav({ encoding: 'integer', channels: 1, sampleRate: 16_000, bitsPerSample: 16 }, [
    Buffer.alloc(seconds * 32_000),
  ]);

it('reads a file in pieces, and leaves the bytes unchanged', async () => {
  const bytes = wav(5);
  const audio = await new AudioReader(script).read(bytes, { ...options, pieceSeconds: 3 });
  expect(audio).toMatchObject({ mediaType: 'audio/wav', seconds: 5 });
  expect(audio.pieces).toHaveLength(2);
  expect(bytes).toEqual(wav(5));
});

it('names what is wrong with a file', async () => {
  await expect(new AudioReader(script).read(wav(11), options)).rejects.toMatchObject({
    code: 'invalid_audio',
    message: 'The audio is longer than 10 s.',
  });
});

it('ends a thread that takes too long, or whose client left', async () => {
  const read = (limits: { timeoutMs?: number }, of = signal) =>
    new AudioReader(script, limits).read(wav(9), { ...options, signal: of });
  await expect(read({ timeoutMs: 1 })).rejects.toThrow('takes more than 0.001 s to read');
  await expect(read({}, AbortSignal.abort(new Error('left')))).rejects.toThrow('left');
});

it.each([
  [600, 30],
  [7200, 195],
])('gives a file that may last %i s no more than %i s', async (maxSeconds, seconds) => {
  const endless = join(folder.path, 'endless.mjs');
  await writeFile(endless, 'setInterval(() => {}, 1000);');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const reading = new AudioReader(endless).read(wav(1), { ...options, maxSeconds });
  await Promise.all([
    expect(reading).rejects.toThrow(`takes more than ${seconds} s to read`),
    vi.advanceTimersByTimeAsync(seconds * 1000),
  ]);
});

it('refuses more requests than it may hold', async () => {
  const reader = new AudioReader(script);
  const results = await Promise.allSettled(
    Array.from({ length: 17 }, () => reader.read(wav(1), options)),
  );
  expect(results.filter(({ status }) => status === 'rejected')).toEqual([
    { status: 'rejected', reason: expect.objectContaining({ code: 'queue_full' }) },
  ]);
});

it('has room for a client while another one sends more than it may hold', async () => {
  const reader = new AudioReader(script);
  const many = Array.from({ length: 17 }, () => reader.read(wav(1), options));
  const settled = Promise.allSettled(many);
  const other = await reader.read(wav(2), { ...options, clientKey: 'you' });
  expect(other.seconds).toBe(2);
  const refused = (await settled).filter(({ status }) => status === 'rejected');
  expect(refused).toHaveLength(2);
});
