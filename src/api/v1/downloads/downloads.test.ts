import { beforeEach, describe, expect, it } from 'vitest';
import { HearthError } from '../../../kernel/errors/errors.ts';
import type {
  DownloadJob,
  DownloadManager,
  DownloadPlan,
} from '../../../library/downloads/downloads.ts';
import type { EditableModelLibrary } from '../../../library/model.ts';
import { createTestApp } from '../../../../test/setup/http/test-app.ts';
import type { ApiServices } from '../../services.ts';
import { mountDownloads } from './downloads.ts';

const url = 'https://huggingface.co/org/model';
const plan: DownloadPlan = {
  model: url,
  owner: 'Org',
  name: 'Model-GGUF',
  commit: 'c0ffee',
  quantization: 'Q4_K_M',
  files: [
    {
      path: 'a/model-Q4_K_M.gguf',
      target: 'model-Q4_K_M.gguf',
      sizeBytes: 200,
      checksum: { algorithm: 'sha256', hex: '00' },
    },
  ],
};
const job: DownloadJob = {
  id: 'job_0123456789',
  plan,
  status: 'downloading',
  totalBytes: 200,
  downloadedBytes: 50,
  startedAt: new Date('2026-01-02T03:04:05.678Z'),
  completedAt: null,
  failure: null,
  bytesPerSecond: 10.4,
  estimatedCompletionAt: new Date('2026-01-02T03:04:20.000Z'),
};
const shown = {
  job_id: 'job_0123456789',
  model: 'org/model',
  quantization: 'Q4_K_M',
  total_size_bytes: 200,
  downloaded_bytes: 50,
  started_at: '2026-01-02T03:04:05.678Z',
};

let scripted: Partial<DownloadManager>;
let listings: number;
beforeEach(() => {
  scripted = {};
  listings = 0;
});

const library = {
  list: async () => {
    listings += 1;
    const quantization = { name: 'Q4_K_M' };
    const files = ['/m/org/Model-GGUF/model-q4_k_m.gguf'];
    const elsewhere = [{ files: [], quantization }];
    return [
      { key: 'org/renamed', format: 'gguf', variants: [{ files, quantization }] },
      { key: 'server/far', format: 'remote', variants: elsewhere },
      { key: 'org/linked', format: 'gguf', machine: 'other', variants: elsewhere },
    ];
  },
} as unknown as EditableModelLibrary;

const { app } = createTestApp({
  v1Routes: (target) =>
    mountDownloads(target, {
      libraryFor: () => library,
      downloads: new Proxy({} as DownloadManager, {
        get: (_, name) => scripted[name as keyof DownloadManager],
      }),
    } as unknown as ApiServices),
});

const download = (body: unknown) =>
  app.request('/api/v1/models/download', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
const getJob = async (found: DownloadJob): Promise<unknown> => {
  scripted.find = async () => found;
  return (await app.request(`/api/v1/models/download/status/${found.id}`)).json();
};

describe('a job', () => {
  it('shows speed and end while it downloads, without a look at the library', async () => {
    expect(await getJob(job)).toEqual({
      ...shown,
      status: 'downloading',
      bytes_per_second: 10,
      estimated_completion: '2026-01-02T03:04:20.000Z',
    });
    expect(listings).toBe(0);
  });

  it('has a speed of 0 while none is known, and no guess at the end', async () => {
    const young = { ...job, bytesPerSecond: undefined, estimatedCompletionAt: undefined };
    expect(await getJob(young)).toEqual({ ...shown, status: 'downloading', bytes_per_second: 0 });
  });

  it('says what else the repository has', async () => {
    const note = 'Took one of 2 models.';
    const noted = { ...job, plan: { ...plan, note }, status: 'paused' } as const;
    expect(await getJob(noted)).toEqual({ ...shown, status: 'paused', note });
  });

  it('shows neither while it is paused', async () => {
    expect(await getJob({ ...job, status: 'paused' })).toEqual({ ...shown, status: 'paused' });
  });

  it('says why it failed', async () => {
    const failure = { type: 'hub_error', code: 'hub_unreachable', message: 'No answer.' };
    expect(await getJob({ ...job, status: 'failed', failure })).toEqual({
      ...shown,
      status: 'failed',
      error: failure,
    });
  });

  it('has the key of the library once it is complete', async () => {
    const completedAt = new Date('2026-01-02T04:00:00.000Z');
    expect(await getJob({ ...job, status: 'completed', completedAt })).toEqual({
      ...shown,
      model: 'org/renamed',
      status: 'completed',
      completed_at: '2026-01-02T04:00:00.000Z',
    });
  });
});

describe('a start', () => {
  it('is a job', async () => {
    const requests: unknown[] = [];
    scripted.start = async (request) => {
      requests.push(request);
      return { kind: 'job', job };
    };
    const response = await download({ model: url, quantization: 'Q4_K_M' });
    expect(await response.json()).toMatchObject({ ...shown, status: 'downloading' });
    await download({ model: 'org/model' });
    expect(requests).toEqual([{ model: url, quantization: 'Q4_K_M' }, { model: 'org/model' }]);
  });

  it('has no job where the model is there', async () => {
    scripted.start = async () => ({ kind: 'already_downloaded', plan });
    expect(await (await download({ model: url })).json()).toEqual({
      model: 'org/renamed',
      quantization: 'Q4_K_M',
      status: 'already_downloaded',
    });
  });

  it('needs no hub for a model that only the library has', async () => {
    const present = { model: 'org/renamed', quantization: 'Q4_K_M', status: 'already_downloaded' };
    for (const code of ['model_not_found', 'hub_unreachable'] as const) {
      scripted.start = async () => {
        throw new HearthError(code, 'The hub does not have it.');
      };
      expect(await (await download({ model: 'Org/Renamed' })).json()).toEqual(present);
      for (const model of ['org/other', 'server/far', 'org/linked']) {
        expect(await (await download({ model })).json()).toMatchObject({ error: { code } });
      }
    }
    scripted.start = async () => {
      throw new HearthError('insufficient_disk', 'The disk is full.');
    };
    expect((await download({ model: 'org/renamed' })).status).toBe(507);
  });

  it.each([
    [{}, 'missing_required_parameter', 'model'],
    [{ model: 5 }, 'invalid_type', 'model'],
    [{ model: url, quantisation: 'q4_k_m' }, 'unrecognized_keys', 'quantisation'],
    [{ model: 'org/model', quantization: 'q4_k_m' }, 'invalid_value', 'quantization'],
    [{ model: 'file:///etc/passwd', quantization: 'q4_k_m' }, 'invalid_value', 'quantization'],
  ])('refuses %j', async (body, code, param) => {
    const response = await download(body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code, param } });
  });

  // covers v1-download-2
  it('says what a quantization goes with', async () => {
    const response = await download({ model: 'org/model', quantization: 'q4_k_m' });
    expect(await response.json()).toMatchObject({
      error: {
        message:
          '"quantization" is "q4_k_m". It is allowed only if `model` is a URL of the model hub (https://huggingface.co/...) or modelscope:owner/name.',
      },
    });
  });
});

describe('what can be done with a job', () => {
  it('is listed', async () => {
    scripted.list = async () => [job, { ...job, id: 'job_x', status: 'paused' }];
    const response = await app.request('/api/v1/models/downloads');
    expect(await response.json()).toMatchObject({
      downloads: [
        { ...shown, status: 'downloading' },
        { job_id: 'job_x', status: 'paused' },
      ],
    });
  });

  it.each(['pause', 'resume', 'cancel'] as const)('%s', async (action) => {
    const ids: string[] = [];
    const act = async (id: string) => {
      ids.push(id);
      return { ...job, status: 'paused' as const };
    };
    scripted[action] = act as never;
    const path = `/api/v1/models/download/${job.id}/${action}`;
    const response = await app.request(path, { method: 'POST' });
    expect(await response.json()).toEqual(
      action === 'cancel'
        ? { job_id: job.id, status: 'cancelled' }
        : { ...shown, status: 'paused' },
    );
    expect(ids).toEqual([job.id]);
    scripted[action] = async () => {
      throw new HearthError('conflict', 'Not now.');
    };
    expect((await app.request(path, { method: 'POST' })).status).toBe(409);
  });

  it.each([
    ['GET', 'models/downloads'],
    ['GET', 'models/download/status/job_x'],
    ['POST', 'models/download'],
    ['POST', 'models/download/job_x/pause'],
    ['POST', 'models/download/job_x/resume'],
    ['POST', 'models/download/job_x/cancel'],
  ])('%s %s needs its permission', async (method, path) => {
    const headers = { authorization: 'Bearer chat' };
    const response = await app.request(`/api/v1/${path}`, { method, headers });
    expect(response.status).toBe(403);
    const permission = method === 'GET' ? 'models:read' : 'models:write';
    expect(JSON.stringify(await response.json())).toContain(permission);
  });
});
