import { existsSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { get, post, type ApiAnswer } from '../setup/server/api.ts';
import { startFakeHub } from '../setup/hub/fake-hub.ts';
import { startFakeModelScope } from '../setup/hub/fake-modelscope.ts';
import { sha256OfFile } from '../setup/hub/fake-hub-content.ts';
import { starterPath } from '../setup/engine/test-engines.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { useResource } from '../setup/use-resource.ts';

const start = '/api/v1/models/download';
const jobFields = [
  'downloaded_bytes',
  'job_id',
  'model',
  'quantization',
  'started_at',
  'status',
  'total_size_bytes',
];
const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const filePath = starterPath('chat');
const hub = useResource(async () =>
  startFakeHub({
    repositories: [
      { name: 'acme/Chat-GGUF', files: { 'chat-Q8_0.gguf': { filePath } } },
      { name: 'acme/Retry-GGUF', files: { 'retry-Q8_0.gguf': { filePath } } },
      { name: 'acme/Gone-GGUF', files: { 'gone-Q8_0.gguf': { filePath } } },
      {
        name: 'acme/Survivor-GGUF',
        files: {
          'survivor-Q8_0.gguf': {
            sizeBytes: 60_000_000,
            seed: 1,
            head: await readFile(filePath),
          },
        },
      },
    ],
  }),
);
const modelScope = useResource(() =>
  startFakeModelScope([
    {
      id: 'lab/Owl-GGUF',
      files: { 'owl-Q8_0.gguf': { filePath }, 'README.md': Buffer.from('# Owl\n') },
      license: 'gemma',
    },
  ]),
);
const hearth = useHearth(() => ({
  environment: {
    HEARTH_HUB_ENDPOINT: hub.url,
    HEARTH_HUB_MIRRORS: JSON.stringify({ modelscope: modelScope.url }),
  },
}));
afterEach(() => hub.faults.clear());

const look = async (id: string): Promise<ApiAnswer['body']> =>
  (await get(hearth.url, `${start}/status/${id}`)).body;
const act = (id: string, action: string) => post(hearth.url, `${start}/${id}/${action}`, undefined);

/** Waits until a job reaches a state; returns the job. */
async function waitForJob(
  id: string,
  isReached: (job: ApiAnswer['body']) => boolean,
): Promise<ApiAnswer['body']> {
  let seen: ApiAnswer['body'];
  await expect
    .poll(
      async () => {
        seen = await look(id);
        return isReached(seen) || JSON.stringify(seen);
      },
      { timeout: 30_000, interval: 50 },
    )
    .toBe(true);
  return seen;
}
const isCompleted = (job: ApiAnswer['body']): boolean => job.status === 'completed';

describe('a download', () => {
  // covers service-8, v1-stored-1, v1-download-1, v1-download-2, v1-download-3, v1-download-4
  // covers v1-download-5, v1-download-6, v1-download-7, v1-download-8, v1-download-9
  // covers v1-download-13, v1-download-15
  it('is shown in every state, and the model answers', async () => {
    const slow = { kind: 'throttle', bytesPerSecond: 1_000_000, path: '.gguf' } as const;
    const throttle = hub.faults.add(slow);
    const stall = hub.faults.add({ kind: 'stall', afterBytes: 1_500_000, path: '.gguf' });
    const { status, body: started } = await post(hearth.url, start, {
      model: `${hub.url}/acme/Chat-GGUF`,
      quantization: 'Q8_0',
    });
    expect(status).toBe(200);
    expect(started).toMatchObject({
      status: 'downloading',
      model: 'acme/chat',
      quantization: 'Q8_0',
      job_id: expect.stringMatching(/^job_[0-9a-f]{10}$/),
      started_at: expect.stringMatching(isoTime),
      total_size_bytes: (await readFile(starterPath('chat'))).length,
    });
    const id = started.job_id as string;

    expect(started.estimated_completion).toMatch(isoTime);

    const downloading = await waitForJob(id, (job) => (job.bytes_per_second ?? 0) > 0);
    expect(Object.keys(downloading).toSorted()).toEqual(
      [...jobFields, 'bytes_per_second', 'estimated_completion'].toSorted(),
    );
    expect(downloading.bytes_per_second).toBeGreaterThan(0);
    expect(downloading.estimated_completion).toMatch(isoTime);
    const listed = await get(hearth.url, '/api/v1/models/downloads');
    expect(listed.body.downloads).toMatchObject([{ job_id: id, status: 'downloading' }]);
    const { body: joined } = await post(hearth.url, start, { model: 'acme/Chat-GGUF' });
    expect(joined).toMatchObject({ job_id: id, status: 'downloading' });

    const paused = await act(id, 'pause');
    expect(paused.status).toBe(200);
    expect(Object.keys(paused.body).toSorted()).toEqual(jobFields);
    expect(paused.body.status).toBe('paused');
    expect((await act(id, 'pause')).body.error).toMatchObject({ code: 'conflict' });

    throttle.remove();
    stall.remove();
    expect((await act(id, 'resume')).body).toMatchObject({ job_id: id, status: 'downloading' });
    const completed = await waitForJob(id, isCompleted);
    expect(Object.keys(completed).toSorted()).toEqual([...jobFields, 'completed_at'].toSorted());
    expect(completed).toMatchObject({
      downloaded_bytes: started.total_size_bytes,
      started_at: started.started_at,
      completed_at: expect.stringMatching(isoTime),
    });
    expect((await act(id, 'resume')).status).toBe(409);
    expect((await act(id, 'cancel')).status).toBe(409);

    const { body: models } = await get(hearth.url, '/api/v1/models');
    expect(models.models.map(({ key }: { key: string }) => key)).toContain(completed.model);
    const { body: chat } = await post(hearth.url, '/api/v1/chat', {
      model: completed.model,
      input: 'What is the capital of France?',
      reasoning: 'off',
      temperature: 0,
    });
    expect(chat.output).toEqual([{ type: 'message', content: 'The capital of France is Paris.' }]);

    for (const name of ['acme/Chat-GGUF', 'acme/chat', 'hearth/starter-chat']) {
      expect((await post(hearth.url, start, { model: name })).body).toEqual({
        status: 'already_downloaded',
        model: name.replace('Chat-GGUF', 'chat'),
        quantization: 'Q8_0',
      });
    }
  });

  // covers v1-download-5, v1-download-10
  it('that failed continues when it is requested again', async () => {
    const gone = hub.faults.add({ kind: 'status', status: 404, path: '.gguf' });
    const { body: started } = await post(hearth.url, start, { model: 'acme/Retry-GGUF' });
    const failed = await waitForJob(started.job_id, (job) => job.status === 'failed');
    expect(Object.keys(failed).toSorted()).toEqual([...jobFields, 'error'].toSorted());
    expect(failed.error).toEqual({
      type: expect.any(String) as string,
      code: expect.any(String) as string,
      message: expect.stringContaining('404') as string,
    });
    expect((await act(started.job_id, 'resume')).status).toBe(409);
    gone.remove();
    const { body: again } = await post(hearth.url, start, { model: 'acme/Retry-GGUF' });
    expect(again).toMatchObject({ job_id: started.job_id, status: 'downloading' });
    expect(again.error).toBeUndefined();
    await waitForJob(started.job_id, isCompleted);
  });

  // covers v1-download-9, v1-download-14
  it('that is cancelled leaves nothing behind', async () => {
    hub.faults.add({ kind: 'throttle', bytesPerSecond: 1_000_000, path: '.gguf' });
    const { body: started } = await post(hearth.url, start, { model: 'acme/Gone-GGUF' });
    await waitForJob(started.job_id, (job) => job.downloaded_bytes > 0);
    const { status, body } = await act(started.job_id, 'cancel');
    expect(status).toBe(200);
    expect(body).toEqual({ job_id: started.job_id, status: 'cancelled' });
    expect((await look(started.job_id)).error).toMatchObject({ code: 'job_not_found' });
    expect((await act(started.job_id, 'cancel')).status).toBe(404);
    const files = await readdir(join(hearth.home, 'models'), { recursive: true });
    expect(files.filter((name) => /gone|job_/i.test(name))).toEqual([]);
  });

  // covers v1-download-11
  it('survives a kill of the server and continues by itself', async () => {
    const { home } = hearth;
    const slow = { kind: 'throttle', bytesPerSecond: 4_000_000, path: '.gguf' } as const;
    hub.faults.add(slow);
    const { body: started } = await post(hearth.url, start, { model: 'acme/Survivor-GGUF' });
    const id = started.job_id as string;
    const before = await waitForJob(id, (job) => job.downloaded_bytes > 0);
    await hearth.kill();
    await hearth.restart();
    const { body: joined } = await post(hearth.url, start, { model: 'acme/Survivor-GGUF' });
    expect(joined).toMatchObject({
      job_id: id,
      status: 'downloading',
      started_at: before.started_at,
    });
    hub.faults.clear();
    await waitForJob(id, isCompleted);
    const file = join(home, 'models/acme/Survivor-GGUF/survivor-Q8_0.gguf');
    const expected = hub.repository('acme/Survivor-GGUF').fileAt('survivor-Q8_0.gguf');
    expect(existsSync(file)).toBe(true);
    expect(await sha256OfFile(file)).toBe(expected?.content.sha256());
    const { body: list } = await get(hearth.url, '/api/v1/models/downloads');
    expect(list.downloads[0].job_id).toBe(id);
    expect(new Set(list.downloads.map((job: { job_id: string }) => job.job_id)).size).toBe(3);
  });
});

describe('ModelScope', () => {
  const gemma = { license: 'gemma', license_has_conditions: true };

  // covers cli-25
  it('is searched, shows a repository, and the downloaded model answers', async () => {
    // The server refuses redirects to this machine.
    modelScope.isRedirecting = false;
    const search = '/api/v1/models/catalog?source=modelscope&search=owl';
    const { models } = (await get(hearth.url, search)).body;
    expect(models).toMatchObject([
      { id: 'modelscope:lab/Owl-GGUF', source: 'modelscope', ...gemma },
    ]);
    const { body: page } = await get(
      hearth.url,
      '/api/v1/models/catalog/lab/Owl-GGUF?source=modelscope',
    );
    expect(page).toMatchObject({
      ...gemma,
      url: 'https://modelscope.cn/models/lab/Owl-GGUF',
      builds: [{ quantization: 'Q8_0', default: true }],
      card: { markdown: '# Owl\n' },
    });
    const request = { model: page.url, quantization: 'Q8_0' };
    const { body: job } = await post(hearth.url, start, request);
    expect(job).toMatchObject({ model: 'lab/owl', ...gemma });
    expect(await waitForJob(job.job_id, isCompleted)).toMatchObject(gemma);
    const chat = { model: 'lab/owl', input: 'Hello!' };
    expect((await post(hearth.url, '/api/v1/chat', chat)).status).toBe(200);
    const again = await post(hearth.url, start, { model: models[0].id });
    expect(again.body).toMatchObject({ status: 'already_downloaded', ...gemma });
  });
});
