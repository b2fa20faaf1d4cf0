import { describe, expect, it, vi } from 'vitest';
import { createScriptedLauncher } from '../../../test/setup/instances/scripted-launcher.ts';
import { modelSelection } from '../../../test/setup/models/model-entry.ts';
import type { EngineConnection } from '../../platform/net/engine-connection.ts';
import { testContext } from '../../../test/setup/test-context.ts';
import type { Runtime, RuntimeManager } from '../runtimes/runtime.ts';
import type { ModelEntry } from '../../library/model.ts';
import { MlxLoader } from './mlx-loader.ts';

const runtime: Runtime = {
  name: 'mlx-lm-linux-x64-cpu',
  version: '0.32.2',
  supportedFormats: ['mlx'],
  source: 'wheel',
  command: 'python3',
  leadingArguments: [],
};
const attention = {
  layerCount: 2,
  keyBytesPerToken: 256,
  valueBytesPerToken: 256,
  window: null,
  recurrentBytesPerSlot: 0,
};

function select(changes: Partial<ModelEntry> = {}) {
  return modelSelection({ format: 'mlx', attention, ...changes });
}

const onProgress = (): void => {};

function setUp({ isInstalled = true } = {}) {
  const launcher = createScriptedLauncher();
  const launch = vi.spyOn(launcher, 'launch');
  const install = vi.fn<RuntimeManager['install']>(async () => runtime);
  const loader = new MlxLoader({
    runtimes: {
      resolve: async () => (isInstalled ? runtime : undefined),
      install,
      list: async () => [],
      installed: async () => [],
      select: async () => false,
      remove: async () => false,
    },
    launcher,
    onInstallProgress: onProgress,
    threads: 1,
    promptCacheMiB: 64,
  });
  const load = (selection = select()) =>
    loader.load(
      {
        instanceId: 'x',
        selection,
        config: { contextLength: 1024, parallel: 2 },
        estimatedBytes: 1,
      },
      new AbortController().signal,
      () => {},
    );
  return { loader, load, launch, install };
}

describe('MlxLoader', () => {
  it('starts the server with the limits of the instance', async () => {
    const { load, launch, install, loader } = setUp();
    await load();
    const spec = launch.mock.calls[0]?.[0];
    if (spec?.program === undefined) throw new Error('no program');
    expect(install).not.toHaveBeenCalled();
    expect(spec).toMatchObject({ purpose: 'generation', threads: 1, expectedBytes: 1 });
    // MLX engines do not map the files.
    expect(loader.copiesWeights).toBe(true);
    const endpoint = { type: 'socket', socketPath: '/run/e.sock', folder: '/run' } as const;
    expect(spec.program.buildArguments(spec, endpoint, 1).join(' ')).toBe(
      '--model /models/test/model/model-q8_0.gguf --host /run/e.sock --context-length 1024 --parallel 2 ' +
        '--prefill-step-size 256 --prompt-cache-bytes 67108864 --sampling {}',
    );
    expect(spec.program.buildVariables(3, spec)).toMatchObject({
      OPENBLAS_NUM_THREADS: '3',
      HF_HUB_OFFLINE: '1',
    });
  });

  it('installs the runtime for its format with the first load', async () => {
    const { load, install } = setUp({ isInstalled: false });
    await load();
    expect(install).toHaveBeenCalledWith(expect.objectContaining({ format: 'mlx', onProgress }));
  });

  it.each([
    [['off', 'on'], 'on', { enable_thinking: true }],
    [['off', 'on'], 'off', { enable_thinking: false }],
    [['low', 'high'], 'low', undefined],
    [undefined, undefined, undefined],
  ] as const)(
    'asks a model with the reasoning %j, by default %s, for %j',
    async (allowedOptions, byDefault, expected) => {
      const { load, launch } = setUp();
      const reasoning =
        allowedOptions === undefined ? null : { allowedOptions, default: byDefault };
      await load(select({ reasoning }));
      const spec = launch.mock.calls[0]?.[0];
      const bodies: Record<string, unknown>[] = [];
      const connection = {
        postJson: async (_: string, body: Record<string, unknown>) => {
          bodies.push(body);
          return { status: 200, body: { tokens: 1 } };
        },
      } as unknown as EngineConnection;
      const engine = spec?.program?.createEngine(connection, spec);
      const messages = [{ role: 'user', content: 'Hello' }] as const;
      await engine?.countPromptTokens({ kind: 'chat', messages, sampling: {} }, testContext());
      expect(bodies.map((body) => body['chat_template_kwargs'])).toEqual([expected]);
    },
  );

  it('estimates weights, the cache of all slots, and its process', () => {
    const { loader } = setUp();
    const estimate = loader.estimate(select(), { contextLength: 1024, parallel: 2 });
    expect(estimate).toMatchObject({
      weightsBytes: 1_000_000,
      kvCacheBytes: 2 * 1024 * 512,
      computeBytes: 100_000,
    });
    const { totalBytes, ...parts } = estimate;
    expect(Object.values(parts).reduce((sum, bytes) => sum + bytes, 0)).toBe(totalBytes);
  });

  it('rejects embedding models and options of other engines', () => {
    const { loader } = setUp();
    expect(() => loader.assertLoadable(select({ type: 'embeddings' }), {})).toThrow(
      expect.objectContaining({
        code: 'unsupported_format',
        message:
          'test/model is an embedding model in MLX format. The engine of MLX models runs language models only; use the model in GGUF format.',
      }),
    );
    expect(() => loader.assertLoadable(select(), { gpuLayers: 3 })).toThrow(
      expect.objectContaining({
        code: 'invalid_value',
        field: 'gpuLayers',
        message: expect.stringContaining(
          'test/model is in MLX format, whose engine does not have this option',
        ),
      }),
    );
    expect(() => loader.assertLoadable(select({ type: 'vlm' }), { parallel: 3 })).not.toThrow();
  });
});
