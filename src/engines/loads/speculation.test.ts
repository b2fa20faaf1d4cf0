import { describe, expect, it } from 'vitest';
import { libraryOf, scriptedPoolWith } from '../../../test/setup/instances/scripted-pool.ts';
import { modelEntry } from '../../../test/setup/models/model-entry.ts';
import { testContext } from '../../../test/setup/test-context.ts';

const small = modelEntry({ key: 'test/small' });
const setUp = () =>
  scriptedPoolWith({ library: libraryOf(modelEntry({ key: 'test/large' }), small) });

describe('a load with speculation', () => {
  it('is off unless the load asks for it', async () => {
    const { pool, launcher } = setUp();
    await pool.load('test/large', {}, testContext());
    const { config } = await pool.load('test/large', { speculation: 'ngram' }, testContext());
    expect(launcher.processes.map(({ spec }) => spec.speculation)).toEqual([
      undefined,
      { kind: 'ngram' },
    ]);
    expect(config.speculation).toBe('ngram');
  });

  it('drafts with another model of the library, whose memory counts', async () => {
    const { pool, launcher } = setUp();
    const alone = await pool.estimate('test/large', {});
    const options = { draftModel: 'test/small' };
    const both = await pool.estimate('test/large', options);
    expect(both.estimate.weightsBytes).toBe(2 * alone.estimate.weightsBytes);
    expect(both.estimate.processBytes).toBe(alone.estimate.processBytes);
    expect(both.estimate.totalBytes).toBeGreaterThan(alone.estimate.totalBytes);
    const { config } = await pool.load('test/large', options, testContext());
    expect(config.draft?.model).toEqual(small);
    expect(launcher.processes[0]?.spec.speculation).toEqual({
      kind: 'draft',
      modelPath: small.variants[0]?.path,
    });
  });

  it('is refused with a draft model that does not exist', async () => {
    await expect(
      setUp().pool.load('test/large', { draftModel: 'test/other' }, testContext()),
    ).rejects.toMatchObject({ code: 'model_not_found' });
  });
});
