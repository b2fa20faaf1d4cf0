import { expect, it } from 'vitest';
import { emptyLoadForm, type LoadForm, toEstimateRequest, toLoadRequest } from './load-form.ts';

it('leaves out what was not entered, so that the defaults apply', () => {
  expect(toLoadRequest('hearth/starter-chat', emptyLoadForm)).toEqual({
    model: 'hearth/starter-chat',
  });
});

it('passes what was entered', () => {
  const form: LoadForm = {
    ...emptyLoadForm,
    contextLength: 2048,
    parallel: '2',
    batch: '512',
    ttlMinutes: '5',
    gpuLayers: '0',
    flashAttention: false,
    mainGpu: ' CUDA1 ',
    splitMode: 'row',
    tensorSplit: '3, 1',
    cpuExpertLayers: '4',
    cacheType: 'q8_0',
    isForced: true,
  };
  expect(toLoadRequest('m', form)).toEqual({
    model: 'm',
    context_length: 2048,
    parallel: 2,
    eval_batch_size: 512,
    ttl: 300,
    gpu_layers: 0,
    flash_attention: false,
    main_gpu: 'CUDA1',
    split_mode: 'row',
    tensor_split: [3, 1],
    cpu_moe_layers: 4,
    kv_cache_type: 'q8_0',
    force: true,
  });
  expect(toEstimateRequest('m', form)).not.toHaveProperty('ttl');
});

it.each(['-1', '1.5', 'many', '0', ' '])('takes the default for %j', (parallel) => {
  expect(toLoadRequest('m', { ...emptyLoadForm, parallel })).toEqual({ model: 'm' });
});

it.each(['3,', '-1', '1,many'])('takes the default for the division %j', (tensorSplit) => {
  expect(toLoadRequest('m', { ...emptyLoadForm, tensorSplit })).toEqual({ model: 'm' });
});
