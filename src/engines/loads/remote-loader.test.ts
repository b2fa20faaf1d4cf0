import { describe, expect, it } from 'vitest';
import { modelEntry } from '../../../test/setup/models/model-entry.ts';
import type { HearthError } from '../../kernel/errors/errors.ts';
import type { EngineHandle } from '../engine.ts';
import type { InstanceConfig } from './load-options.ts';
import { RemoteLoader } from './remote-loader.ts';

const model = modelEntry({ format: 'remote', publisher: 'cluster', maxContextLength: 9000 });
const [first] = model.variants;
if (first === undefined) throw new Error('no variant');
const selection = { model, variant: { ...first, path: 'large-model' } };

function setUp() {
  const opened: unknown[] = [];
  const handle = { engine: {} } as EngineHandle;
  const loader = new RemoteLoader({
    open: (...parameters) => {
      opened.push(parameters);
      return handle;
    },
    maxConcurrent: (upstream) => (upstream === 'cluster' ? 12 : 0),
  });
  return { loader, opened, handle };
}

describe('RemoteLoader', () => {
  it('has the context of the model and the slots of its server', () => {
    const { loader } = setUp();
    const expected = { contextLength: 9000, parallel: 12 };
    expect(loader.configure(selection, {})).toEqual(expected);
    expect(loader.configure(selection, { contextLength: 512 })).toEqual(expected);
  });

  it.each<Partial<InstanceConfig>>([
    { evalBatchSize: 64 },
    { hasFlashAttention: true },
    { offloadsKvCacheToGpu: false },
    { expertCount: 2 },
    { gpuLayers: 0 },
    { speculation: 'off' },
    { draft: selection },
    { parallel: 1 },
  ])('refuses the options of engines of this machine', (requested) => {
    const [field] = Object.keys(requested);
    let failure: unknown;
    try {
      setUp().loader.configure(selection, requested);
    } catch (error) {
      failure = error;
    }
    expect(failure).toMatchObject({ code: 'invalid_value', field });
    expect((failure as HearthError).describe((name) => `<${name}>`)).toBe(
      `test/model runs on a remote server, which decides about its engine; leave <${field}> out.`,
    );
  });

  it('opens the model of the upstream', async () => {
    const { loader, opened, handle } = setUp();
    const config = { contextLength: 9000, parallel: 12 };
    expect(await loader.load({ instanceId: 'i', selection, config, estimatedBytes: 0 })).toBe(
      handle,
    );
    expect(opened).toEqual([[{ upstream: 'cluster', id: 'large-model' }, 9000]]);
  });

  it('loads the format of remote models', () => {
    expect(setUp().loader.format).toBe(model.format);
  });
});
