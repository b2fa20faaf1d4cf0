import { execFileSync } from 'node:child_process';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { get, post, stream } from '../setup/server/api.ts';
import { expectError, expectErrorFields } from '../setup/server/expect-error.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { useTemporaryFolder } from '../setup/temporary-folder.ts';

const hello = { model: 'hearth/starter-chat', input: 'Hello!', reasoning: 'off' };
const diskBytes = 2 * 1024 * 1024;

describe('a full disk under the database', () => {
  const disk = useTemporaryFolder();
  let cannotMount = '';
  let stored: string;

  beforeAll(() => {
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${diskBytes}`, 'tmpfs', disk.path], {
        stdio: 'pipe',
      });
    } catch (error) {
      cannotMount = `a small disk can't be mounted here: ${String(error).trim()}`;
    }
  });
  afterAll(() => {
    if (cannotMount === '') execFileSync('umount', [disk.path]);
  });
  const hearth = useHearth(() => ({ flags: [`--store-url=${join(disk.path, 'hearth.db')}`] }));
  beforeAll(async () => {
    if (cannotMount !== '') return;
    stored = (await post(hearth.url, '/api/v1/chat', hello)).body.response_id;
    await fill(join(disk.path, 'filler'));
  });
  beforeEach(({ skip }) => skip(cannotMount !== '', cannotMount));

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
    await rm(join(disk.path, 'filler'));
    const continued = { ...hello, previous_response_id: stored };
    const answer = await post(hearth.url, '/api/v1/chat', continued);
    expect(answer.status).toBe(200);
    expect(await listedIds()).toEqual([answer.body.response_id, stored]);
  });
});

/** Writes until the disk is full. */
async function fill(path: string): Promise<void> {
  const file = await open(path, 'w');
  try {
    for (let sizeBytes = 0; sizeBytes <= diskBytes; sizeBytes += 4096) {
      await file.write(Buffer.alloc(4096));
    }
    throw new Error('The disk takes more than it has.');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
  } finally {
    await file.close();
  }
}
