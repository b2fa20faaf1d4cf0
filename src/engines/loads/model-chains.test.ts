import { describe, expect, it, vi } from 'vitest';
import {
  libraryOf,
  openFrom,
  scriptedPoolWith,
} from '../../../test/setup/instances/scripted-pool.ts';
import { modelEntry, modelSelection } from '../../../test/setup/models/model-entry.ts';
import { testContext } from '../../../test/setup/test-context.ts';
import { HearthError, type ErrorCode } from '../../kernel/errors/errors.ts';
import type { ChainEntry } from '../../library/model-aliases.ts';
import type { ModelEntry, ModelSelection } from '../../library/model.ts';
import type { Standing } from './policy/choose-machine.ts';

const entry = (key: string, more: Partial<ModelEntry> = {}) => modelEntry({ key, ...more });
const elsewhere = (machine: string): ModelSelection => {
  return modelSelection({ key: 'test/both', machine, format: 'remote' });
};

/** A pool whose alias `chain` has these models. By default, linked machines are rated higher than this one. */
function setUp(chain: readonly ChainEntry[]) {
  const standing = vi.fn<(machine: string) => Promise<Standing>>(async () => 'gpu');
  const library = libraryOf(
    entry('test/first'),
    entry('test/second'),
    entry('test/both'),
    entry('test/embed', { type: 'embeddings' }),
  );
  const find = async (name: string): Promise<ModelSelection> => {
    if (name === 'chain') return { ...(await library.find('test/second')), alias: name, chain };
    const found = await library.find(name);
    return name === 'test/both'
      ? { ...found, elsewhere: [elsewhere('box'), elsewhere('ark')] }
      : found;
  };
  const { pool, launcher } = scriptedPoolWith({
    library: { ...library, find },
    machineStanding: standing,
    estimate: () => ({ weightsBytes: 0, totalBytes: 0 }) as never,
    defaults: { contextLength: 2048, parallel: 1 },
  });
  const logged = vi.fn<(line: string) => void>();
  const context = testContext();
  const observed = { ...context, logger: { ...context.logger, info: logged } as never };
  return { pool, launcher, context: observed, logged, standing };
}

const resolve = ({ pool }: ReturnType<typeof setUp>, name = 'chain') =>
  pool.resolve(name, 'generation');
const failure = (code: ErrorCode): HearthError => new HearthError(code, 'It failed.');

describe('a chain', () => {
  it('passes over models that are missing, of another type or not loaded, and reports it', async () => {
    const opened = setUp([
      { model: 'test/none' },
      { model: 'test/embed' },
      { model: 'test/first', when: 'loaded' },
      { model: 'test/second' },
    ]);
    const target = await resolve(opened);
    expect(target.selection.model.key).toBe('test/second');
    opened.pool.open({ target }, opened.context).close();
    expect(opened.context.record.tried).toEqual([
      { model: 'test/none', reason: 'missing' },
      { model: 'test/embed', reason: 'missing' },
      { model: 'test/first', reason: 'not_loaded' },
    ]);
    expect(opened.logged.mock.calls).toEqual([
      [
        'chain: test/none is not there, test/embed is not there, test/first is not loaded, using test/second',
      ],
    ]);
    (await openFrom(opened.pool, 'test/first')).close();
    expect((await resolve(opened)).selection.model.key).toBe('test/first');
  });

  it('says why no model can be used', async () => {
    await expect(resolve(setUp([{ model: 'test/embed' }]))).rejects.toMatchObject({
      code: 'wrong_model_type',
    });
    await expect(resolve(setUp([{ model: 'test/none' }]))).rejects.toMatchObject({
      code: 'model_not_found',
    });
  });

  it.each(['upstream_error', 'out_of_memory', 'crashed', 'queue_full'] as const)(
    'continues after %s',
    async (code) => {
      const opened = setUp([{ model: 'test/first' }, { model: 'test/second' }]);
      const { pool, context } = opened;
      context.record.fail(failure(code));
      const next = await pool.fallBack(await resolve(opened), failure(code), context);
      expect(next.selection.model.key).toBe('test/second');
      expect(context.record.failure).toBeUndefined();
    },
  );

  it('ends with the last failure, and waits for a busy model before', async () => {
    const opened = setUp([{ model: 'test/first' }, { model: 'test/second' }]);
    const { pool, context } = opened;
    const second = await pool.fallBack(await resolve(opened), failure('queue_full'), context);
    const again = await pool.fallBack(second, failure('crashed'), context);
    expect(again.selection.model.key).toBe('test/first');
    const full = failure('queue_full');
    await expect(pool.fallBack(again, full, context)).rejects.toBe(full);
    expect(context.record.tried).toEqual([
      { model: 'test/second', reason: 'failed' },
      { model: 'test/first', reason: 'busy' },
    ]);
  });

  it('does not continue after errors of the request, and not for a client that has left', async () => {
    const opened = setUp([{ model: 'test/first' }, { model: 'test/second' }]);
    const { pool, context } = opened;
    const target = await resolve(opened);
    for (const code of [
      'invalid_value',
      'context_length_exceeded',
      'cancelled',
      'internal',
    ] as const) {
      const error = failure(code);
      await expect(pool.fallBack(target, error, context)).rejects.toBe(error);
    }
    const gone = { ...context, signal: AbortSignal.abort() };
    await expect(pool.fallBack(target, failure('crashed'), gone)).rejects.toMatchObject({
      code: 'crashed',
    });
    const alone = await resolve(opened, 'test/first');
    await expect(pool.fallBack(alone, failure('crashed'), context)).rejects.toMatchObject({
      code: 'crashed',
    });
  });

  it('passes over a model that cannot take the request, and reports the failure before it', async () => {
    const opened = setUp([
      { model: 'test/first' },
      { model: 'test/second' },
      { model: 'test/both' },
    ]);
    const { pool, context } = opened;
    const crashed = failure('crashed');
    const second = await pool.fallBack(await resolve(opened), crashed, context);
    const third = await pool.fallBack(second, failure('vision_unsupported'), context);
    expect(third.selection.model.key).toBe('test/both');
    expect(third.chain?.tried).toEqual([
      { model: 'test/first', reason: 'failed' },
      { model: 'test/second', reason: 'unsuited' },
    ]);
  });

  it('avoids a server that cannot be reached for a while', async () => {
    const opened = setUp([{ model: 'test/first' }, { model: 'test/second' }]);
    const { pool, context } = opened;
    await pool.fallBack(await resolve(opened), failure('upstream_unavailable'), context);
    const later = await resolve(opened);
    expect(later.selection.model.key).toBe('test/second');
    expect(later.chain?.tried).toEqual([{ model: 'test/first', reason: 'failed_lately' }]);
  });

  it('leaves a queue after its longest wait, and returns to it if nothing else is left', async () => {
    const opened = setUp([{ model: 'test/first', maxWaitSeconds: 0 }, { model: 'test/none' }]);
    const { pool, context } = opened;
    const running = await openFrom(pool, 'test/first');
    const target = await resolve(opened);
    // The model's queue is longer than the limit, but there is no other model.
    expect(target).toMatchObject({ chain: { isLastResort: true } });
    running.close();

    const both = setUp([{ model: 'test/first', maxWaitSeconds: 0.01 }, { model: 'test/second' }]);
    const chosen = await resolve(both);
    const holding = await openFrom(both.pool, 'test/first');
    const session = both.pool.open({ target: chosen }, both.context);
    const waiting = (async () => {
      for await (const _ of session.ready());
    })();
    await expect(waiting).rejects.toMatchObject({ code: 'queue_full' });
    session.close();
    const next = await both.pool.fallBack(chosen, failure('queue_full'), both.context);
    expect(next.selection.model.key).toBe('test/second');
    holding.close();
    expect(context.record.tried).toEqual([]);
  });
});

describe('a model of several machines', () => {
  it('runs on this machine if the other one fails', async () => {
    const opened = setUp([]);
    const { pool, context } = opened;
    const target = await resolve(opened, 'test/both');
    expect(target.selection.model.machine).toBe('box');
    const next = await pool.fallBack(target, failure('upstream_error'), context);
    expect(next.selection.model).toMatchObject({ key: 'test/both' });
    expect(next.selection.model.machine).toBeUndefined();
    expect(next.chain?.tried).toEqual([{ model: 'test/both@box', reason: 'failed' }]);
  });

  it('keeps what became of the other models when a chain returns to it', async () => {
    const opened = setUp([{ model: 'test/both' }, { model: 'test/second' }]);
    const { pool, context, standing } = opened;
    standing.mockResolvedValueOnce('none').mockResolvedValueOnce('none');
    const here = await resolve(opened);
    expect(here.selection.model.machine).toBeUndefined();
    const second = await pool.fallBack(here, failure('queue_full'), context);
    expect(second.selection.model.key).toBe('test/second');
    const box = await pool.fallBack(second, failure('crashed'), context);
    expect(box.selection.model.machine).toBe('box');
    const ark = await pool.fallBack(box, failure('crashed'), context);
    expect(ark.selection.model.machine).toBe('ark');
    const again = await pool.fallBack(ark, failure('crashed'), context);
    expect(again.selection.model).toMatchObject({ key: 'test/both' });
    expect(again.selection.model.machine).toBeUndefined();
    expect(again.chain?.tried).toEqual([
      { model: 'test/both@box', reason: 'failed' },
      { model: 'test/both@ark', reason: 'failed' },
      { model: 'test/second', reason: 'failed' },
    ]);
    const last = failure('crashed');
    await expect(pool.fallBack(again, last, context)).rejects.toBe(last);
  });

  it('runs on another machine only if that one meets the condition of the chain', async () => {
    const opened = setUp([{ model: 'test/both', when: 'loaded' }, { model: 'test/second' }]);
    const { pool, context, standing } = opened;
    standing.mockImplementation(async (machine) => (machine === 'box' ? 'loaded' : 'gpu'));
    const box = await resolve(opened);
    expect(box.selection.model.machine).toBe('box');
    const next = await pool.fallBack(box, failure('crashed'), context);
    expect(next.chain?.tried).toEqual([
      { model: 'test/both@box', reason: 'failed' },
      { model: 'test/both', reason: 'not_loaded' },
      { model: 'test/both@ark', reason: 'not_loaded' },
    ]);
    expect(next.selection.model.key).toBe('test/second');
  });

  it('has a queue on each', async () => {
    const opened = setUp([{ model: 'test/both', maxWaitSeconds: 0 }, { model: 'test/second' }]);
    const { pool, context, standing } = opened;
    const box = await resolve(opened);
    expect(box).toMatchObject({ maxWaitSeconds: 0, selection: { model: { machine: 'box' } } });
    standing.mockResolvedValue('none');
    const running = await openFrom(pool, 'test/both');
    const ark = await pool.fallBack(box, failure('queue_full'), context);
    expect(ark).toMatchObject({ maxWaitSeconds: 0, selection: { model: { machine: 'ark' } } });
    expect(ark.chain?.tried).toEqual([
      { model: 'test/both@box', reason: 'busy' },
      { model: 'test/both', reason: 'busy' },
    ]);
    running.close();
  });
});
