import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { get, post, stream } from '../setup/server/api.ts';
import { expectError, expectErrorFields } from '../setup/server/expect-error.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
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

  it('does not affect requests that store nothing', async () => {
    expect((await get(hearth.url, '/ready')).status).toBe(200);
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
    expect(await listedIds()).toEqual([answer.body.response_id, stored]);
  });
});
