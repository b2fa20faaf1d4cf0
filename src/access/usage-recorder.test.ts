import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { RequestRecord } from '../kernel/request/request-record.ts';
import { ServerEvents } from '../kernel/events/server-events.ts';
import type { UsageRepository } from '../store/usage-repository.ts';
import { UsageRecorder } from './usage-recorder.ts';

type Rows = Parameters<UsageRepository['add']>[0];

function recorder(flushMs = 60_000) {
  const events = new ServerEvents((error) => {
    throw error;
  });
  const add = vi.fn<(rows: Rows) => Promise<void>>(async () => {});
  const onError = vi.fn<(error: unknown) => void>();
  const usage = new UsageRecorder({ store: { add }, events, onError, flushMs });
  onTestFinished(() => usage.close());
  const request = (model: string | undefined, tokenId: string | null = 'a') => {
    const record = new RequestRecord({ requestId: 'r', method: 'POST', path: '/', events });
    record.begin('/', tokenId === null ? null : { tokenId, name: tokenId });
    if (model !== undefined) record.useInstance(model, model);
    return record;
  };
  return { usage, add, onError, request };
}

const counts = {
  failedRequests: 0,
  promptTokens: 0,
  cachedPromptTokens: 0,
  completionTokens: 0,
};
const end = { usage: { promptTokens: 5, cachedTokens: 2, completionTokens: 3 } };

describe('what is counted', () => {
  it('is a request with the tokens of all its generations, in one row for each token and model', async () => {
    const { usage, add, request } = recorder();
    const chat = request('hearth/one');
    chat.beginGeneration('chat').end(end);
    chat.beginGeneration('chat').end(end);
    chat.finish(200, true);
    request('hearth/one').finish(200, true);
    request('hearth/one', null).finish(200, true);
    const embedding = request('hearth/two');
    embedding.beginGeneration('embedding').end({ usage: { promptTokens: 7 } });
    embedding.finish(200, true);
    await usage.flush();
    const day = new Date().toISOString().slice(0, 10);
    expect(add.mock.calls).toEqual([
      [
        [
          {
            day,
            tokenId: 'a',
            modelKey: 'hearth/one',
            ...counts,
            requests: 2,
            promptTokens: 10,
            cachedPromptTokens: 4,
            completionTokens: 6,
          },
          { day, tokenId: null, modelKey: 'hearth/one', ...counts, requests: 1 },
          { day, tokenId: 'a', modelKey: 'hearth/two', ...counts, requests: 1, promptTokens: 7 },
        ],
      ],
    ]);
  });

  it('is the output of a generation that fails, and the failure', async () => {
    const { usage, add, request } = recorder();
    const record = request('hearth/one');
    const generation = record.beginGeneration('chat');
    generation.noteTokens();
    generation.noteTokens();
    generation.end({ hasFailed: true });
    record.fail({ code: 'engine_error', message: '' });
    record.finish(200, true);
    await usage.flush();
    expect(add.mock.lastCall?.[0]).toMatchObject([
      { requests: 1, failedRequests: 1, completionTokens: 2 },
    ]);
  });

  it('is a request of the model that answered, if another one failed before', async () => {
    const { usage, add, request } = recorder();
    const record = request('hearth/one');
    record.beginGeneration('chat').end({ hasFailed: true });
    record.useInstance('hearth/two', 'hearth/two');
    record.beginGeneration('chat').end(end);
    record.finish(200, true);
    await usage.flush();
    expect(add.mock.lastCall?.[0]).toMatchObject([
      { modelKey: 'hearth/two', requests: 1, completionTokens: 3 },
    ]);
  });

  it('is not a request without a model, until its response in the background has one', async () => {
    const { usage, add, request } = recorder();
    request(undefined).finish(404, true);
    const background = request(undefined);
    background.finish(200, true);
    await usage.flush();
    expect(add).not.toHaveBeenCalled();
    background.useInstance('hearth/one', 'hearth/one');
    background.beginGeneration('chat').end(end);
    await usage.flush();
    expect(add.mock.lastCall?.[0]).toMatchObject([{ requests: 1, completionTokens: 3 }]);
  });
});

describe('the counts', () => {
  it('are written by themselves, and when the server stops', async () => {
    const { usage, add, request } = recorder(1);
    request('hearth/one').finish(200, true);
    await vi.waitFor(() => expect(add).toHaveBeenCalledTimes(1));
    request('hearth/one').finish(200, true);
    await usage.close();
    expect(add).toHaveBeenCalledTimes(2);
    request('hearth/one').finish(200, true);
    await usage.flush();
    expect(add).toHaveBeenCalledTimes(2);
  });

  it('are kept while the store is not available, and written once', async () => {
    const { usage, add, onError, request } = recorder();
    add.mockRejectedValueOnce(new Error('disk full'));
    add.mockRejectedValueOnce(new Error('disk full'));
    request('hearth/one').finish(200, true);
    await usage.flush();
    request('hearth/one').finish(200, true);
    await usage.flush();
    expect(onError).toHaveBeenCalledTimes(1);
    await usage.flush();
    expect(add.mock.lastCall?.[0]).toMatchObject([{ requests: 2 }]);
    await usage.flush();
    expect(add).toHaveBeenCalledTimes(3);
  });
});
