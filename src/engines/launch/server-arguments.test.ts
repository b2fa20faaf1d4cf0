import { describe, expect, it } from 'vitest';
import type { LaunchSpec } from './launch.ts';
import { buildServerArguments, maxConnections } from './server-arguments.ts';

const spec: LaunchSpec = {
  runtime: {
    name: 'llama.cpp-linux-x64-cpu',
    version: 'b1',
    supportedFormats: ['gguf'],
    source: 'path',
    command: 'llama-server',
    leadingArguments: [],
  },
  modelPath: '/models/a.gguf',
  purpose: 'generation',
  contextLength: 4096,
  parallel: 3,
  promptCacheMiB: 512,
  loadTimeoutMs: 1_000,
};
const socket = { type: 'socket', socketPath: '/tmp/x/e.sock', folder: '/tmp/x' } as const;

/** The value after a flag; true for a flag without one, undefined if it is absent. */
function valueOf(flag: string, more: Partial<LaunchSpec> = {}): string | true | undefined {
  const list = buildServerArguments({ ...spec, ...more }, socket, 2);
  const index = list.indexOf(flag);
  if (index === -1) return undefined;
  const next = list[index + 1];
  return next === undefined || next.startsWith('--') ? true : next;
}

describe('buildServerArguments', () => {
  // covers v1-model-15
  it('multiplies the context by the number of slots', () => {
    expect(valueOf('--ctx-size')).toBe('12288');
    expect(valueOf('--parallel')).toBe('3');
    expect(valueOf('--kv-unified')).toBeUndefined();
  });

  it('lets the slots share fewer contexts, each of them with one at most', () => {
    const shared = { sharedContexts: 2 };
    expect(valueOf('--ctx-size', shared)).toBe('8192');
    expect(valueOf('--parallel', shared)).toBe('3');
    expect(valueOf('--kv-unified', shared)).toBe(true);
    expect(valueOf('--kv-unified-per-slot', shared)).toBe('4096');
    expect(valueOf('--no-cache-idle-slots', shared)).toBe(true);
  });

  it('leaves experts in the memory of the machine, except with a build that knows no GPU', () => {
    const runtime = { ...spec.runtime, name: 'llama.cpp-linux-x64-cuda' };
    expect(valueOf('--n-cpu-moe', { runtime, cpuExpertLayers: 12 })).toBe('12');
    expect(valueOf('--n-cpu-moe', { runtime, cpuExpertLayers: 0 })).toBeUndefined();
    expect(valueOf('--n-cpu-moe', { cpuExpertLayers: 12 })).toBeUndefined();
  });

  it('drafts from what repeats, where the launch wants it and the model generates', () => {
    expect(valueOf('--spec-type')).toBeUndefined();
    const ngram = { speculation: { kind: 'ngram' } } as const;
    expect(valueOf('--spec-type', ngram)).toBe('ngram-simple');
    expect(valueOf('--spec-type', { ...ngram, purpose: 'embedding' })).toBeUndefined();
  });

  it('drafts with the layers of the model that predict further tokens', () => {
    const mtp = { speculation: { kind: 'mtp' } } as const;
    expect(valueOf('--spec-type', mtp)).toBe('draft-mtp');
    expect(valueOf('--spec-draft-n-max', mtp)).toBe('3');
    expect(valueOf('--spec-draft-model', mtp)).toBeUndefined();
  });

  it('drafts with a model, on the processor where the other one is', () => {
    const draft = { speculation: { kind: 'draft', modelPath: '/models/small.gguf' } } as const;
    expect(valueOf('--spec-draft-model', draft)).toBe('/models/small.gguf');
    expect(valueOf('--spec-draft-ngl', draft)).toBeUndefined();
    expect(valueOf('--spec-draft-ngl', { ...draft, gpuLayers: 0 })).toBe('0');
  });

  it('listens on the socket, or on loopback', () => {
    expect(valueOf('--host')).toBe('/tmp/x/e.sock');
    expect(valueOf('--port')).toBeUndefined();
    const loopback = { type: 'loopback', host: '127.0.0.1', port: 4321 } as const;
    expect(buildServerArguments(spec, loopback, 2).join(' ')).toContain(
      '--host 127.0.0.1 --port 4321',
    );
  });

  it('keeps batches small for generation and as long as the context for embeddings', () => {
    expect(valueOf('--ubatch-size')).toBe('256');
    expect(valueOf('--batch-size', { evalBatchSize: 64 })).toBe('64');
    expect(valueOf('--ubatch-size', { projectorPath: '/models/mmproj.gguf' })).toBe('512');
    expect(valueOf('--ubatch-size', { purpose: 'embedding', parallel: 4 })).toBe('4096');
  });

  it('leaves the batches to the engine on a GPU, and says where states of slots are', () => {
    const runtime = { ...spec.runtime, name: 'llama.cpp-linux-x64-cuda' };
    expect(valueOf('--batch-size', { runtime })).toBeUndefined();
    expect(valueOf('--ubatch-size', { runtime })).toBeUndefined();
    expect(valueOf('--batch-size', { runtime, gpuLayers: 0 })).toBe('256');
    expect(valueOf('--batch-size', { runtime, evalBatchSize: 64 })).toBe('64');
    expect(valueOf('--batch-size', { runtime, purpose: 'embedding', parallel: 4 })).toBe('4096');
    expect(valueOf('--slot-save-path')).toBeUndefined();
    expect(valueOf('--slot-save-path', { slotFolder: '/dev/shm/x' })).toBe('/dev/shm/x/');
  });

  it('makes batches large enough for one token per slot and for the warm-up', () => {
    expect(valueOf('--batch-size', { evalBatchSize: 1 })).toBe('3');
    expect(valueOf('--ubatch-size', { evalBatchSize: 1 })).toBe('3');
    expect(valueOf('--ubatch-size', { evalBatchSize: 1, parallel: 1 })).toBe('2');
    const embedding = { purpose: 'embedding', evalBatchSize: 1 } as const;
    expect(valueOf('--ubatch-size', { ...embedding, parallel: 2 })).toBe('4096');
  });

  it('makes the batches of embeddings a multiple of the slots', () => {
    expect(valueOf('--ubatch-size', { purpose: 'embedding', parallel: 3 })).toBe('4098');
    expect(valueOf('--batch-size', { purpose: 'reranking', parallel: 9 })).toBe('4104');
  });

  it('adds the flags of each purpose', () => {
    expect(valueOf('--embeddings')).toBeUndefined();
    expect(valueOf('--jinja')).toBe(true);
    expect(valueOf('--cache-ram')).toBe('512');
    expect(valueOf('--embeddings', { purpose: 'embedding' })).toBe(true);
    expect(valueOf('--jinja', { purpose: 'embedding' })).toBeUndefined();
    expect(valueOf('--reranking', { purpose: 'embedding' })).toBeUndefined();
    expect(valueOf('--reranking', { purpose: 'reranking' })).toBe(true);
    expect(valueOf('--embeddings', { purpose: 'reranking' })).toBeUndefined();
    expect(valueOf('--ubatch-size', { purpose: 'reranking', parallel: 1 })).toBe('4096');
    expect(valueOf('--mmproj', { projectorPath: '/models/mmproj.gguf' })).toBe(
      '/models/mmproj.gguf',
    );
  });

  // covers v1-model-15
  it('omits flags for absent settings', () => {
    for (const flag of ['--n-gpu-layers', '--flash-attn', '--no-kv-offload', '--override-kv']) {
      expect(valueOf(flag)).toBeUndefined();
    }
    expect(valueOf('--n-gpu-layers', { gpuLayers: 0 })).toBe('0');
    expect(valueOf('--flash-attn', { hasFlashAttention: false })).toBe('off');
    expect(valueOf('--no-kv-offload', { offloadsKvCacheToGpu: false })).toBe(true);
    expect(valueOf('--no-kv-offload', { offloadsKvCacheToGpu: true })).toBeUndefined();
    expect(valueOf('--cache-type-v', { kvCacheTypes: { k: 'f16', v: 'q8_0' } })).toBe('q8_0');
  });

  it('lets the engine fit the layers only with a GPU', () => {
    const runtime = { ...spec.runtime, name: 'llama.cpp-linux-x64-cuda' };
    expect(valueOf('--fit')).toBe('off');
    expect(valueOf('--fit', { runtime })).toBeUndefined();
    expect(valueOf('--fit', { runtime, gpuLayers: 4 })).toBe('off');
  });

  // covers v1-model-15
  it('sets the number of experts with the key of the architecture', () => {
    expect(valueOf('--override-kv', { expertCount: 4, architecture: 'qwen3moe' })).toBe(
      'qwen3moe.expert_used_count=int:4',
    );
    expect(() => valueOf('--override-kv', { expertCount: 4 })).toThrow('needs architecture');
  });

  it('has one thread per connection', () => {
    expect(Number(valueOf('--threads-http'))).toBeGreaterThan(maxConnections(spec));
  });
});
