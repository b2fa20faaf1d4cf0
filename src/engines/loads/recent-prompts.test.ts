import { describe, expect, it } from 'vitest';
import { placedByEngine } from '../placement/place-model.ts';
import { modelEntry, modelSelection } from '../../../test/setup/models/model-entry.ts';
import type { ModelEntry, ModelSelection } from '../../library/model.ts';
import type { InstanceSummary } from './instance-summary.ts';
import { loadedInstances, selectedInstances } from './loaded-instances.ts';
import { assertPurpose, purposeOf } from './purpose.ts';
import { promptKeyLength, RecentPrompts } from './policy/choose-instance.ts';

describe('RecentPrompts', () => {
  it('keeps the beginnings of the last sixteen prompts, oldest first', () => {
    const prompts = new RecentPrompts();
    prompts.add('');
    expect(prompts.list()).toEqual([]);
    const texts = Array.from({ length: 17 }, (_, index) => `prompt ${index}`);
    for (const text of texts.slice(0, 16)) prompts.add(text);
    expect(prompts.list()).toEqual(texts.slice(0, 16));
    prompts.add(texts[0] ?? '');
    expect(prompts.list()).toEqual([...texts.slice(1, 16), texts[0]]);
    prompts.add(texts[16] ?? '');
    expect(prompts.list()).toEqual([...texts.slice(2, 16), texts[0], texts[16]]);
  });

  it('takes prompts with the same beginning for one', () => {
    const prompts = new RecentPrompts();
    const beginning = 'x'.repeat(promptKeyLength);
    prompts.add(`${beginning}a`);
    prompts.add(`${beginning}b`);
    expect(prompts.list()).toEqual([beginning]);
  });
});

const selectionOf = (changes: Partial<ModelEntry>, id = 'q8_0'): ModelSelection => {
  const { model, variant } = modelSelection(changes);
  return { model, variant: { ...variant, id } };
};

describe('the loaded instances', () => {
  const instance = (
    id: string,
    selection: ModelSelection,
    state: InstanceSummary['state'] = 'ready',
  ): InstanceSummary => ({
    id,
    selection,
    config: { contextLength: 512, parallel: 1 },
    state,
    isExplicit: true,
    isPinned: false,
    changedOptions: [],
    requestCount: 0,
    activeRequests: 0,
    queuedRequests: 0,
    estimatedBytes: 1,
    placement: placedByEngine(0, undefined),
    loadTimeSeconds: 1,
  });
  const instances = [
    instance('one', selectionOf({})),
    instance('two', selectionOf({}, 'q4_k_m')),
    instance('loading', selectionOf({}), 'loading'),
    instance('other', selectionOf({ key: 'test/other' })),
  ];
  const idsOf = (found: readonly InstanceSummary[]) => found.map(({ id }) => id);

  it('are the ready ones of a model, of the variant that the identifier names', () => {
    expect(idsOf(loadedInstances(instances, { model: modelEntry() }))).toEqual(['one', 'two']);
    const small = selectionOf({}, 'q4_k_m');
    expect(idsOf(selectedInstances(instances, small, 'test/model'))).toEqual(['one', 'two']);
    expect(idsOf(selectedInstances(instances, small, 'test/model@q4_k_m'))).toEqual(['two']);
  });
});

describe('the purpose of a model', () => {
  const embeddings = selectionOf({ type: 'embeddings' });
  const reranker = selectionOf({ type: 'reranker' });

  it('is text, also for vision models, embeddings or reranking', () => {
    expect([selectionOf({}), selectionOf({ type: 'vlm' })].map(purposeOf)).toEqual([
      'generation',
      'generation',
    ]);
    expect([embeddings, reranker].map(purposeOf)).toEqual(['embedding', 'reranking']);
    expect(() => assertPurpose(embeddings, 'embedding')).not.toThrow();
    expect(() => assertPurpose(selectionOf({ type: 'vlm' }), 'generation')).not.toThrow();
  });

  it.each([
    [selectionOf({}), 'embedding', 'is a language model; embeddings need an embedding model.'],
    [embeddings, 'generation', 'is an embedding model; it makes vectors, no text.'],
    [reranker, 'generation', 'is a reranker; it scores documents, and makes no text.'],
    [embeddings, 'reranking', 'is an embedding model; reranking needs a model with a rank head.'],
  ] as const)('is explained where a request has another', (selection, purpose, reason) => {
    expect(() => assertPurpose(selection, purpose)).toThrow(
      expect.objectContaining({
        code: 'wrong_model_type',
        field: 'model',
        message: `test/model ${reason}`,
      }),
    );
  });
});
