import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { get, post, stream } from '../setup/server/api.ts';
import { expectError, expectErrorFields } from '../setup/server/expect-error.ts';
import { openHearth, useHearth } from '../setup/server/use-hearth.ts';
import { useSmallDisk } from '../setup/small-disk.ts';

const hello = { model: 'hearth/starter-chat', input: 'Hello!', reasoning: 'off' };

describe('a full disk under the database', () => {
  const disk = useSmallDisk(2 * 1024 * 1024);
  let stored: string;

  const hearth = useHearth(() => ({ flags: [`--store-url=${join(disk.path, 'hearth.db')}`] }));
  beforeAll(async () => {
    if (!disk.isMounted) return;
    stored = (await post(hearth.url, '/api/v1/chat', hello)).body.response_id;
    await disk.fill();
  });

  const storageFailed = {
    code: 'storage_failed',
    message: 'generated but could not be stored. Is the disk full?',
  } as const;
  const listedIds = async () => {
    const { body } = await get(hearth.url, '/api/v1/responses');
    return body.responses.map(({ response_id: id }: { response_id: string }) => id);
  };

  it('is reported as an error', async () => {
    expectError(await post(hearth.url, '/api/v1/chat', hello), storageFailed);
  });

  it('is an error event in a stream, after the text', async () => {
    const events = await stream(hearth.url, '/api/v1/chat', hello);
    expect(events.slice(-2).map(({ event }) => event)).toEqual(['error', 'chat.end']);
    expectErrorFields(JSON.parse(events.at(-2)?.data ?? '').error, storageFailed);
    const { result } = JSON.parse(events.at(-1)?.data ?? '');
    expect(result.output).toEqual([{ type: 'message', content: expect.stringMatching(/^Hello/) }]);
    expect(result).not.toHaveProperty('response_id');
  });

  it('is reported by /ready', async () => {
    const answer = await get(hearth.url, '/ready');
    expectError(answer, { code: 'store_unavailable', message: 'The disk of the database is full' });
  });

  it('refuses the upload of a file', async () => {
    const form = new FormData();
    form.append('purpose', 'batch');
    form.append('file', new Blob(['{}'.repeat(100_000)]), 'x.jsonl');
    const response = await fetch(`${hearth.url}/v1/files`, { method: 'POST', body: form });
    expect(response.status).toBe(507);
    expect(await response.text()).toContain('storage_full');
  });

  it('does not affect requests that store nothing', async () => {
    expect(await listedIds()).toEqual([stored]);
    expect((await get(hearth.url, `/api/v1/responses/${stored}`)).status).toBe(200);
    const unstored = { ...hello, store: false, previous_response_id: stored };
    expect((await post(hearth.url, '/api/v1/chat', unstored)).status).toBe(200);
  });

  it('has no effect after space is freed', async () => {
    await disk.free();
    const continued = { ...hello, previous_response_id: stored };
    const answer = await post(hearth.url, '/api/v1/chat', continued);
    expect(answer.status).toBe(200);
    expect((await get(hearth.url, '/ready')).status).toBe(200);
    expect(await listedIds()).toEqual([answer.body.response_id, stored]);
  });
});

describe('a full disk under the log', () => {
  const disk = useSmallDisk(14 * 1024 * 1024);

  it.each([
    ['rotates itself', 'logs/server.log'],
    ['gets as stderr', 'stderr.log'],
  ])('does not end a server that writes to a file that it %s', async (_, name) => {
    const home = join(disk.path, name.replace('/', '-'));
    const logFile = join(home, name);
    await mkdir(dirname(logFile), { recursive: true });
    const hearth = await openHearth({ home, logFile });
    await disk.fill();
    const unstored = { ...hello, store: false };
    for (let request = 0; request < 40; request += 1) {
      expect((await post(hearth.url, '/api/v1/chat', unstored)).status).toBe(200);
    }
    expect((await get(hearth.url, '/health')).status).toBe(200);
    await disk.free();
    await get(hearth.url, '/health');
    const requests = async () =>
      (await readFile(logFile, 'utf8'))
        .split('\n')
        .filter((line) => line.includes('"path":"/api/v1/chat"'));
    await expect.poll(async () => (await requests()).length).toBe(40);
    await disk.fill();
    await post(hearth.url, '/api/v1/chat', unstored);
    expect(await hearth.stop()).toBe(0);
    await disk.free();
  });
});
