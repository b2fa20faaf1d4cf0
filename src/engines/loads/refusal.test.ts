import { describe, expect, it } from 'vitest';
import { placedByEngine } from '../placement/place-model.ts';
import { instanceView } from '../../../test/setup/instances/instance-view.ts';
import { modelEntry, modelSelection } from '../../../test/setup/models/model-entry.ts';
import type { HearthError } from '../../kernel/errors/errors.ts';
import type { InstanceSummary } from './instance-summary.ts';
import type { Capacity } from './policy/admit.ts';
import {
  admissionQueueFull,
  neverFits,
  notLoaded,
  stillLoading,
  waitedTooLong,
} from './refusal.ts';

const mebibyte = 1024 * 1024;
const demand = {
  modelKey: 'new/model',
  variantId: 'q8_0',
  purpose: 'generation',
  isExplicit: false,
  needsMemory: true,
  estimatedBytes: 20 * mebibyte - 1,
} as const;
const limited: Capacity = {
  limitBytes: 30 * mebibyte,
  available: { bytes: 100 * mebibyte, includesMappedFiles: true },
  maxLoaded: undefined,
  keepsOnlyLast: false,
};
const unlimited = { ...limited, limitBytes: undefined };
const named = instanceView({ id: 'a', isExplicit: true, estimatedBytes: 14 * mebibyte });
const pinned = instanceView({ id: 'b', modelKey: 'b', isPinned: true, estimatedBytes: mebibyte });

/** The error with an API's names for the fields. */
const described = (error: HearthError) => ({
  code: error.code,
  text: error.describe((name) => `<${name}>`),
});

describe('neverFits', () => {
  it('names the numbers, the instances that stay, and what to do', () => {
    const refused = { instances: [named, pinned], demand, capacity: limited, contextLength: 4096 };
    expect(described(neverFits(refused, 'memory'))).toEqual({
      code: 'out_of_memory',
      text: 'new/model with a context of 4096 tokens needs about 21.0 MB, and 15.7 MB can be used of the 31.5 MB of models.memoryLimitBytes while a (loaded by name, 14.7 MB), b (pinned, 1.0 MB) stay loaded. Unload one of these, or load it all the same: hearth load new/model --force.',
    });
  });

  it('names no instance and no limit where there is none', () => {
    const refused = { instances: [], demand, capacity: unlimited, contextLength: 512 };
    expect(described(neverFits(refused, 'memory'))).toEqual({
      code: 'out_of_memory',
      text: 'new/model with a context of 512 tokens needs about 21.0 MB, and 105 MB can be used. Load it all the same: hearth load new/model --force.',
    });
  });

  it('names the largest context that fits', () => {
    const refused = {
      instances: [named],
      demand,
      capacity: unlimited,
      contextLength: 65_536,
      fittingContext: 20_480,
    };
    expect(described(neverFits(refused, 'memory')).text).toMatch(
      /stay loaded\. Set <contextLength> to 20480 or less \(hearth load new\/model --context-length 20480\), or unload one of these, or load it all the same: hearth load new\/model --force\.$/,
    );
  });

  // covers server-14
  it('names the instances that take all places', () => {
    const capacity = { ...unlimited, maxLoaded: 1 };
    const refused = { instances: [named], demand, capacity, contextLength: 512 };
    expect(described(neverFits(refused, 'places'))).toEqual({
      code: 'out_of_memory',
      text: "new/model can't be loaded: models.maxLoaded is 1, and a (loaded by name, 14.7 MB) stay loaded. Unload one of them: hearth unload <id>.",
    });
  });
});

describe('waitedTooLong', () => {
  it('names the numbers and the time, and when to try again', () => {
    const refused = { instances: [named], demand, capacity: limited, contextLength: 512 };
    const error = waitedTooLong(refused, 60);
    expect(error).toMatchObject({
      code: 'out_of_memory',
      retryAfterSeconds: 10,
      message:
        'new/model with a context of 512 tokens needs about 21.0 MB, and 16.8 MB can be used of the 31.5 MB of models.memoryLimitBytes once the models that are busy get idle; its turn did not come within 60 s. Try again later.',
    });
    const placed = { ...refused, capacity: { ...limited, maxLoaded: 2 } };
    expect(waitedTooLong(placed, 60).message).toContain(
      'models.memoryLimitBytes, by at most 2 models (models.maxLoaded), once the models',
    );
  });
});

describe('a full queue and a slow load', () => {
  it('say when to try again', () => {
    expect(admissionQueueFull('new/model', 64)).toMatchObject({
      code: 'queue_full',
      retryAfterSeconds: 10,
      message: "new/model can't be loaded now: 64 loads wait for memory already. Try again later.",
    });
    expect(stillLoading('new/model:2', 0.25, 60)).toMatchObject({
      code: 'model_loading',
      retryAfterSeconds: 10,
      loading: { progress: 0.25 },
      message: 'new/model:2 still loads after 60 s. The load continues: try again.',
    });
  });
});

describe('notLoaded', () => {
  const { variant } = modelSelection();
  const instance = (id: string, contextLength: number, key = 'test/model'): InstanceSummary => ({
    id,
    selection: { model: modelEntry({ key }), variant },
    config: { contextLength, parallel: 1 },
    state: 'ready',
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

  it('gives the command that loads the model', () => {
    const other = instance('test/other', 512, 'test/other');
    expect(notLoaded('test/model', undefined, [other])).toMatchObject({
      code: 'model_not_found',
      field: 'model',
      message:
        'test/model is not loaded, and loading on request is off (models.jit). Load it first: hearth load test/model',
    });
    expect(notLoaded('test/model', 2048, []).message).toMatch(
      /: hearth load test\/model --context-length 2048$/,
    );
  });

  it('lists the configurations that are loaded', () => {
    const loaded = [instance('test/model', 512), instance('test/model:2', 1024)];
    expect(notLoaded('test/model', 2048, loaded)).toMatchObject({
      code: 'model_not_found',
      field: 'contextLength',
      message:
        'test/model is not loaded as the request wants it with a context of 2048 tokens, and loading on request is off (models.jit). Loaded: test/model (q8_0, a context of 512 tokens), test/model:2 (q8_0, a context of 1024 tokens). Request a loaded configuration, or load it: hearth load test/model --context-length 2048',
    });
    expect(notLoaded('test/model', undefined, loaded)).toMatchObject({
      field: 'model',
      message: expect.stringContaining('as the request wants it, and loading'),
    });
  });
});
