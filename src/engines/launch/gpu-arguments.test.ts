import { describe, expect, it } from 'vitest';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import { buildGpuVariables, gpuArguments } from './gpu-arguments.ts';

const one = { devices: [{ id: 'CUDA1', layers: 33 }] };
const two = {
  devices: [
    { id: 'CUDA0', layers: 11 },
    { id: 'CUDA2', layers: 22 },
  ],
  splitMode: 'layer',
} as const;

describe('gpuArguments', () => {
  const of = (spec: Parameters<typeof gpuArguments>[0]) => omitUndefined(gpuArguments(spec));

  it('leave the decision to the engine', () => {
    expect(gpuArguments({})).toEqual({});
  });

  it('choose one GPU, or divide the layers among several', () => {
    expect(of({ gpus: one })).toEqual({ '--device': 'CUDA1', '--no-mmproj-offload': false });
    expect(of({ gpus: { ...two, splitMode: 'row', mainGpu: 'CUDA2' } })).toEqual({
      '--device': 'CUDA0,CUDA2',
      '--no-mmproj-offload': false,
      '--split-mode': 'row',
      '--tensor-split': '11,22',
      '--main-gpu': 1,
    });
  });

  it('put a draft model on the same GPUs', () => {
    const speculation = { kind: 'draft', modelPath: '/draft.gguf' } as const;
    expect(of({ gpus: two, speculation })).toMatchObject({ '--spec-draft-device': 'CUDA0,CUDA2' });
    expect(of({ gpus: two, speculation: { kind: 'ngram' } })).not.toHaveProperty(
      '--spec-draft-device',
    );
  });

  it('keep everything off the GPUs for a model that has no layer there', () => {
    expect(of({ gpus: { devices: [] }, projectorPath: '/mmproj.gguf' })).toEqual({
      '--device': 'none',
      '--no-mmproj-offload': true,
    });
  });
});

describe('buildGpuVariables', () => {
  it('names the GPU of the projector', () => {
    const projectorPath = '/mmproj.gguf';
    expect(buildGpuVariables({ gpus: one, projectorPath })).toEqual({
      MTMD_BACKEND_DEVICE: 'CUDA1',
    });
    expect(buildGpuVariables({ gpus: one })).toEqual({});
    expect(buildGpuVariables({ gpus: { devices: [] }, projectorPath })).toEqual({});
    expect(buildGpuVariables({ projectorPath })).toEqual({});
  });
});
