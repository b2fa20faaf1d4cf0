import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { modelEntry } from '../../../../test/setup/models/model-entry.ts';
import { temporaryStore } from '../../../../test/setup/store/temporary-store.ts';
import { HearthError } from '../../../kernel/errors/errors.ts';
import type { SendRequest } from '../../batches/batch-runner.ts';
import { LeaseKeeper } from '../../../store/shared/lease-keeper.ts';
import type { Store } from '../../../store/store.ts';
import { createLogger } from '../../../telemetry/logger.ts';
import { Indexer, passagesPerBlock, type IndexerOptions } from './indexer.ts';
import { toFloats } from './vectors.ts';

let store: Store;
beforeEach(async () => {
  store = await temporaryStore();
});

/** Small enough that each line becomes a passage. */
const chunking = { maxTokens: 4, overlapTokens: 0 };
const lines = (count: number): string =>
  Array.from({ length: count }, (_, index) => `Line w${'x'.repeat(index % 5)}.\n`).join('');

async function addFile(text: string, name = 'file-a', ownerId: string | null = null) {
  const vectorStoreId = `vs_${name}`;
  const createdAt = new Date();
  async function* bytes() {
    yield Buffer.from(text);
  }
  const file = { id: name, ownerId, purpose: 'assistants', name: `${name}.md`, createdAt } as const;
  await store.files.write(file, bytes(), 'me');
  await store.files.publish(name);
  await store.vectorStores.insert({
    id: vectorStoreId,
    ownerId,
    name,
    metadata: {},
    embeddingModel: 'a/b',
    expiresAfterDays: null,
    createdAt,
  });
  const added = { vectorStoreId, fileId: name, batchId: 'vsfb_1', attributes: {} };
  await store.vectorStores.addFiles([{ ...added, chunking, createdAt }]);
  return vectorStoreId;
}

const embedding = (...components: number[]) => ({
  embedding: Buffer.from(Float32Array.from(components).buffer).toString('base64'),
});
const inputsOf = ({ body }: Parameters<SendRequest>[0]) => body['input'] as string[];
const answer = (status: number, body: unknown) => ({ status, requestId: '', body });
const failed = (status: number, code: string) =>
  answer(status, { error: { message: `It is ${code}.`, code } });
const embeds: SendRequest = async (request) =>
  answer(200, { data: inputsOf(request).map((input) => embedding(3, input.length)) });

function open(send: SendRequest, options: Partial<IndexerOptions> = {}, holder = 'me'): Indexer {
  const leases = new LeaseKeeper({ leases: store.leases, holder, onError: () => {} });
  const indexer = new Indexer({
    store,
    leases,
    documents: {
      read: async (_, content) => {
        let text = '';
        for await (const piece of content) text += Buffer.from(piece).toString();
        return { type: 'text/plain', text, sections: [], isTruncated: false };
      },
    },
    pool: {
      resolve: async () => {
        const model = modelEntry({ type: 'embeddings' });
        return { selection: { model, variant: model.variants[0] } } as never;
      },
    },
    maxPassages: 1000,
    logger: createLogger('silent'),
    pollMs: 20,
    retryMs: 1,
    ...options,
  });
  indexer.start(send);
  onTestFinished(async () => {
    await indexer.close();
    await leases.close();
  });
  return indexer;
}

const fileOf = (id: string) => store.vectorStores.findFile(id, id.replace('vs_', ''));
async function reached(id: string, status: string): Promise<void> {
  await expect.poll(async () => (await fileOf(id))?.status, { interval: 5 }).toBe(status);
}

it('stores the vectors of all passages, of length 1', async () => {
  const id = await addFile(lines(70));
  open(embeds);
  await reached(id, 'completed');
  const positions = await store.vectorStores.blockPositions(id, 'file-a');
  expect(positions).toEqual(new Set([0, 1, 2]));
  let count = 0;
  for await (const blocks of store.vectorStores.readBlocks(id)) {
    for (const { bytes } of blocks) {
      const floats = toFloats(bytes);
      for (let index = 0; index < floats.length; index += 2) {
        expect(Math.hypot(floats[index] ?? 0, floats[index + 1] ?? 0)).toBeCloseTo(1);
        count += 1;
      }
    }
  }
  expect(count).toBe(70);
});

it('continues after the last block when its process was stopped', async () => {
  const id = await addFile(lines(5 * passagesPerBlock));
  let requests = 0;
  const first = open(async (request) => {
    requests += 1;
    if (requests <= 3) return embeds(request);
    return new Promise((_, reject) => {
      request.signal.addEventListener('abort', () => reject(request.signal.reason));
    });
  });
  await expect
    .poll(async () => (await store.vectorStores.blockPositions(id, 'file-a')).size)
    .toBe(3);
  await first.close();
  expect(await fileOf(id)).toMatchObject({ status: 'in_progress' });
  let again = 0;
  open(async (request) => {
    again += 1;
    return embeds(request);
  });
  await reached(id, 'completed');
  expect(again).toBe(2);
});

it('embeds each block once, with two processes', async () => {
  const ids: string[] = [];
  for (const name of ['file-a', 'file-b', 'file-c', 'file-d']) {
    ids.push(await addFile(lines(2 * passagesPerBlock), name));
  }
  let requests = 0;
  const counted: SendRequest = async (request) => {
    requests += 1;
    return embeds(request);
  };
  open(counted, {}, 'one');
  open(counted, {}, 'two');
  for (const id of ids) await reached(id, 'completed');
  expect(requests).toBe(8);
});

it('waits for a model that is busy, and lets the files of others pass', async () => {
  const busy = await addFile(lines(2), 'file-a', 'tok_a');
  const other = await addFile(lines(2), 'file-b', 'tok_b');
  let isBusy = true;
  open(async (request) =>
    isBusy && request.ownerId === 'tok_a' ? failed(429, 'queue_full') : embeds(request),
  );
  await reached(other, 'completed');
  expect(await fileOf(busy)).toMatchObject({ status: 'in_progress' });
  isBusy = false;
  await reached(busy, 'completed');
});

it('takes the mean of the halves of a passage that is too long for the model', async () => {
  const id = await addFile('abcdefgh');
  const seen: string[] = [];
  open(async (request) => {
    const inputs = inputsOf(request);
    if (inputs.some((input) => input.length > 4)) return failed(400, 'context_length_exceeded');
    seen.push(...inputs);
    return answer(200, { data: inputs.map((input) => embedding(Number(input === 'abcd'), 1)) });
  });
  await reached(id, 'completed');
  expect(seen).toEqual(['abcd', 'efgh']);
  for await (const [block] of store.vectorStores.readBlocks(id)) {
    const [x = 0, y = 0] = toFloats(block?.bytes ?? new Uint8Array());
    expect(Math.atan2(x, y)).toBeCloseTo(Math.PI / 8);
  }
});

it('says why a file was not indexed', async () => {
  const cases: readonly (readonly [string, Partial<IndexerOptions>, SendRequest, RegExp])[] = [
    ['file-a', {}, async () => failed(404, 'model_not_found'), /It is model_not_found/],
    ['file-b', { maxPassages: 1 }, embeds, /has room for 1 passages/],
    [
      'file-c',
      {
        documents: {
          read: async () => {
            throw new HearthError('invalid_document', 'file-c.md is a PDF.');
          },
        },
      },
      embeds,
      /^file-c\.md is a PDF\.$/,
    ],
    ['file-d', {}, async () => answer(200, {}), /unexpected error/],
  ];
  for (const [name, options, send, message] of cases) {
    const id = await addFile(lines(40), name);
    const indexer = open(send, options);
    await reached(id, 'failed');
    await indexer.close();
    expect((await fileOf(id))?.error?.message).toMatch(message);
  }
});

it('refuses vectors of another length than the vector store has', async () => {
  const id = await addFile(lines(2));
  await store.vectorStores.setDimensions(id, 3);
  open(embeds);
  await reached(id, 'failed');
  expect((await fileOf(id))?.error?.message).toMatch(/3 components, and a\/b made ones of 2/);
});

it('begins again with a file that is added again', async () => {
  const id = await addFile(lines(5 * passagesPerBlock));
  let count = 0;
  open(async (request) => {
    count += 1;
    if (count === 4) {
      const again = { vectorStoreId: id, fileId: 'file-a', batchId: 'vsfb_2', attributes: {} };
      await store.vectorStores.addFiles([{ ...again, chunking, createdAt: new Date() }]);
    }
    return embeds(request);
  });
  await reached(id, 'completed');
  const positions = await store.vectorStores.blockPositions(id, 'file-a');
  expect(positions).toEqual(new Set([0, 1, 2, 3, 4]));
});

it('stops with a file that is removed', async () => {
  const id = await addFile(lines(4 * passagesPerBlock));
  let requests = 0;
  const indexer = open(async (request) => {
    requests += 1;
    if (requests === 2) await store.vectorStores.removeFile(id, 'file-a');
    return embeds(request);
  });
  await expect.poll(() => fileOf(id)).toBeUndefined();
  await indexer.close();
  expect(requests).toBeLessThan(4);
  expect(await store.vectorStores.countBlocks(id)).toBe(0);
});
