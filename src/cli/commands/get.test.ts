import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import type { DownloadJobRecord } from '../../api/v1/downloads/download-schema.ts';
import { sendJson, startLoopbackServer } from '../../../test/setup/net/loopback-server.ts';
import { runCommand } from '../../../test/setup/cli/run-command.ts';
import { Interruption } from '../failure.ts';

const job: DownloadJobRecord = {
  job_id: 'job_0123456789',
  status: 'downloading',
  model: 'org/model',
  quantization: 'Q4_K_M',
  total_size_bytes: 1000,
  downloaded_bytes: 0,
  started_at: '2026-01-02T03:04:05.678Z',
  bytes_per_second: 0,
};
const completed = {
  ...job,
  status: 'completed',
  downloaded_bytes: 1000,
  completed_at: '2026-01-02T03:05:05.678Z',
};
const failed = {
  ...job,
  status: 'failed',
  error: { type: 'hub_error', code: 'hub_unreachable', message: 'The hub does not answer.' },
};
const fullCatalog = {
  models: [
    {
      id: 'tiny-chat',
      source: 'catalog',
      repository: 'org/Tiny-GGUF',
      url: 'https://huggingface.co/org/Tiny-GGUF',
      type: 'llm',
      size_bytes: 1_500_000,
    },
    {
      id: 'other/Tiny',
      source: 'hub',
      repository: 'other/Tiny',
      url: 'https://huggingface.co/other/Tiny',
      downloads: 12_345,
      gated: true,
    },
  ],
};

let catalog: object = fullCatalog;
type Step = object | ((response: ServerResponse) => void);
let server: Awaited<ReturnType<typeof startLoopbackServer>> | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
  catalog = fullCatalog;
});

/** Answers the first request with the first step, and each poll with the next step; the last step repeats. */
async function get(
  steps: readonly [Step, ...Step[]],
  commandLine: readonly string[],
  signal?: AbortSignal,
  onPoll: (count: number) => void = () => {},
) {
  let polls = 0;
  server = await startLoopbackServer(({ method, path }, response) => {
    const send = (step: Step): void => {
      if (typeof step === 'function') step(response);
      else sendJson(response, step);
    };
    if (path.startsWith('/api/v1/models/catalog')) return sendJson(response, catalog);
    if (path.endsWith('/pause')) return sendJson(response, { ...job, status: 'paused' });
    if (method === 'POST') return send(steps[0]);
    if (path.includes('/status/')) {
      polls += 1;
      send(steps[Math.min(polls, steps.length - 1)] ?? steps[0]);
      return onPoll(polls);
    }
    return sendJson(
      response,
      { error: { type: 'x', message: 'no', code: 'model_not_found' } },
      404,
    );
  });
  return runCommand(['get', ...commandLine, '--host', server.url], signalOption(signal));
}

const signalOption = (signal: AbortSignal | undefined) => (signal === undefined ? {} : { signal });
const sent = (): unknown[] =>
  (server?.requests ?? []).filter(({ body }) => body !== '').map(({ body }) => JSON.parse(body));

describe('hearth get', () => {
  it('follows the job to its end and suggests the next step', async () => {
    const gemma = { ...job, license: 'gemma', license_has_conditions: true };
    const half = { ...job, downloaded_bytes: 500, bytes_per_second: 250 };
    const { exitCode, stdout, stderr } = await get([gemma, half, completed], ['org/model']);
    expect(exitCode).toBe(0);
    expect(stdout).toBe('Downloaded org/model Q4_K_M. See `hearth ls`.\n');
    expect(stderr).toBe(
      'org/model Q4_K_M, 1.0 KB\n' +
        'License: gemma, which has conditions: read it before you use the model\n' +
        'Downloading 0 %  0 B of 1.0 KB\n' +
        'Downloading 50 %  500 B of 1.0 KB, 250 B/s\n' +
        'Downloading 100 %  1.0 KB of 1.0 KB\n',
    );
  });

  it('prints only the final job as JSON', async () => {
    const { exitCode, stdout } = await get([job, completed], ['org/model', '--json']);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual(completed);
  });

  it('exits with 1 and the reason if the download fails', async () => {
    const { exitCode, stdout, stderr } = await get([job, failed], ['org/model']);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toContain(
      'error: The download failed: The hub does not answer. Continue with `hearth get org/model`.',
    );
    await server?.close();
    const asJson = await get([job, failed], ['org/model', '--json']);
    expect(asJson.exitCode).toBe(1);
    expect(JSON.parse(asJson.stdout)).toMatchObject({ status: 'failed' });
  });

  it('exits with 1 if another client pauses or cancels the job', async () => {
    const paused = { ...job, status: 'paused' };
    const outcome = await get([job, paused], ['org/model']);
    expect(outcome.exitCode).toBe(1);
    expect(outcome.stderr).toContain('was paused. Continue with `hearth get org/model`.');
    await server?.close();
    const gone = { error: { type: 'job_not_found', code: 'job_not_found', message: 'No job.' } };
    const cancelled = await get(
      [job, (response: ServerResponse) => sendJson(response, gone, 404)],
      ['org/model'],
    );
    expect(cancelled.exitCode).toBe(1);
    expect(cancelled.stderr).toContain('error: The download was cancelled.');
  });

  it('prints the note about other models of the repository', async () => {
    const note = 'Took "a.gguf", one of 2 models\u001b[2J.';
    const { stderr } = await get([{ ...job, note }, completed], ['org/model']);
    expect(stderr).toContain('\nTook "a.gguf", one of 2 models[2J.\n');
  });

  it('reports that a model is already downloaded', async () => {
    const there = { status: 'already_downloaded', model: 'org/model', quantization: null };
    const { exitCode, stdout } = await get([there], ['org/model']);
    expect(exitCode).toBe(0);
    expect(stdout).toBe('org/model is already downloaded. See `hearth ls`.\n');
  });

  it('continues after a lost connection', async () => {
    const reset = (response: ServerResponse): void => {
      response.socket?.resetAndDestroy();
    };
    const { exitCode, stdout } = await get([job, reset, reset, completed], ['org/model']);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('Downloaded');
  });

  it('pauses the job when interrupted and explains how to continue', async () => {
    const stopping = new AbortController();
    const { exitCode, stdout, stderr } = await get([job], ['org/model@q8_0'], stopping.signal, () =>
      stopping.abort(new Interruption('SIGINT')),
    );
    expect({ exitCode, stdout }).toEqual({ exitCode: 130, stdout: '' });
    expect(stderr).toMatch(/Paused at 0 %\. Continue with `hearth get org\/model@q8_0`\.\n$/);
    expect(server?.requests.at(-1)?.path).toBe('/api/v1/models/download/job_0123456789/pause');
  });

  it('does not follow a detached job', async () => {
    const { exitCode, stdout } = await get([job], ['org/model', '-d']);
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'job_0123456789\n' });
    expect(server?.requests).toHaveLength(1);
  });
});

describe('the model argument of hearth get', () => {
  it.each([
    [['org/model'], { model: 'org/model' }],
    [['org/model@Q8_0'], { model: 'https://huggingface.co/org/model', quantization: 'Q8_0' }],
    [['tiny-chat'], { model: 'tiny-chat' }],
    [['Tiny-Chat@q8_0'], { model: 'https://huggingface.co/org/Tiny-GGUF', quantization: 'q8_0' }],
  ])('%j', async (commandLine, body) => {
    await get([completed], commandLine);
    expect(sent()).toEqual([body]);
  });

  it('lists matches for words and downloads nothing without a terminal', async () => {
    const { exitCode, stdout, stderr } = await get([job], ['tiny', 'model']);
    expect(exitCode).toBe(2);
    expect(stdout).toMatch(/^1 +tiny-chat +llm +1\.5 MB +- +catalog$/m);
    expect(stdout).toMatch(/^2 +other\/Tiny +- +- +12,345 +hub \(gated\)$/m);
    expect(stderr).toContain('Nothing was downloaded.');
    expect(server?.requests.at(-1)?.path).toBe('/api/v1/models/catalog?search=tiny+model');
    expect(sent()).toEqual([]);
  });

  it('reports an unreachable hub instead of no matches', async () => {
    const warning = { type: 'hub_error', code: 'hub_unreachable', message: 'No hub answers.' };
    catalog = { models: [], warning };
    const { exitCode, stderr } = await get([job], ['some', 'words']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: 'error: No hub answers.\n' });
  });

  it('only searches with --search', async () => {
    const { exitCode, stdout } = await get([job], ['--search', '--json', 'org/model']);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual(catalog);
    expect(server?.requests.at(-1)?.path).toBe('/api/v1/models/catalog?search=org%2Fmodel');
  });
});
