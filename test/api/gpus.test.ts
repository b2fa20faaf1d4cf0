import { describe, expect, it } from 'vitest';
import { runHearth } from '../setup/cli/run-hearth.ts';
import { readScriptedArguments, writeScriptedEngine } from '../setup/engine/scripted-engine.ts';
import { get, post } from '../setup/server/api.ts';
import { useHearth } from '../setup/server/use-hearth.ts';

/** 512 MiB of each GPU stay unused, and an engine takes 576 MiB beside its buffers, so 24 and 20 MiB are left. */
const devices = [
  '  CUDA0: NVIDIA A (8192 MiB, 1112 MiB free)',
  '  CUDA1: NVIDIA B (8192 MiB, 1108 MiB free)',
];
const model = 'hearth/starter-chat';
const sizes = { context_length: 4096, parallel: 2 };

const server = useHearth(async (home) => ({
  flags: [`--engine-llama-server=${await writeScriptedEngine(home, 4096, devices)}`],
}));
const hearth = (...commandLine: string[]) => runHearth(commandLine, { home: server.home });

/** The values of the engine's GPU options. */
async function launched(): Promise<Record<string, string | undefined>> {
  const list = await readScriptedArguments(server.home);
  const names = ['--n-gpu-layers', '--device', '--split-mode', '--tensor-split', '--main-gpu'];
  const found = names.filter((name) => list.includes(name));
  return Object.fromEntries(found.map((name) => [name, list[list.indexOf(name) + 1]]));
}

const load = (options: object) => post(server.url, '/api/v1/models/load', { model, ...options });
const put = (path: string, body: object) => post(server.url, path, body, { method: 'PUT' });
const unload = () => post(server.url, '/api/v1/models/unload', { instance_id: model });

describe('a machine with two GPUs', () => {
  it('has a model on one of them if it fits, else its layers on both', async () => {
    const small = await load({ context_length: 1024, parallel: 1 });
    expect(small.status).toBe(200);
    expect(await launched()).toEqual({ '--n-gpu-layers': '7', '--device': 'CUDA0' });
    await unload();

    const { body: estimate } = await load({ ...sizes, estimate_only: true });
    expect(estimate.placement).toMatchObject({ gpu_layers: 7, layers: 7, split_mode: 'layer' });
    const { gpus } = estimate.placement;
    expect(gpus.map(({ id, name }: { id: string; name: string }) => `${id} ${name}`)).toEqual([
      'CUDA0 NVIDIA A',
      'CUDA1 NVIDIA B',
    ]);
    const onGpus = gpus.reduce((sum: number, { bytes }: { bytes: number }) => sum + bytes, 0);
    expect(estimate.estimate.gpu_bytes).toBe(onGpus);

    const readable = await post(server.url, '/api/v1/models/estimate', { model, ...sizes });
    expect(readable.body.placement).toEqual(estimate.placement);

    await load(sizes);
    const layers = gpus.map((gpu: { layers: number }) => gpu.layers);
    expect(await launched()).toEqual({
      '--n-gpu-layers': '7',
      '--device': 'CUDA0,CUDA1',
      '--split-mode': 'layer',
      '--tensor-split': layers.join(','),
    });
    const { body: listed } = await get(server.url, `/api/v1/models/${model}`);
    expect(listed.loaded_instances).toMatchObject([{ placement: estimate.placement }]);
    const { body: status } = await get(server.url, '/api/v1/status');
    expect(status.instances).toMatchObject([{ placement: estimate.placement }]);
    expect((await hearth('ps')).stdout).toMatch(/ GPU +.*\n.* 100% CUDA0, CUDA1 /);
    await unload();
  });

  it('follows the options of a load, and of the settings of its model', async () => {
    await load({ ...sizes, main_gpu: 'CUDA1', split_mode: 'none', gpu_layers: 3 });
    expect(await launched()).toEqual({ '--n-gpu-layers': '3', '--device': 'CUDA1' });
    await unload();

    const path = `/api/v1/model-settings/${model}`;
    const settings = { tensor_split: [2, 3], cache_type_k: 'q8_0', cpu_moe_layers: 2 };
    const saved = await put(path, { load: { ...sizes, ...settings } });
    expect(saved.body.load).toMatchObject(settings);
    const estimate = await hearth('load', model, '--estimate-only');
    expect(estimate.stdout).toMatch(/^GPU +7 of 7 layers, split by layer$/m);
    expect(estimate.stdout).toMatch(/^CUDA1 +[\d.]+ MB, 4 layers \(NVIDIA B\)$/m);
    await load({ cache_type_v: 'q5_1', main_gpu: 'cuda1' });
    const list = await readScriptedArguments(server.home);
    expect(await launched()).toMatchObject({ '--tensor-split': '3,4', '--main-gpu': '1' });
    expect(list[list.indexOf('--cache-type-k') + 1]).toBe('q8_0');
    expect(list[list.indexOf('--cache-type-v') + 1]).toBe('q5_1');
    const config = (await get(server.url, `/api/v1/models/${model}`)).body.loaded_instances[0]
      .config;
    expect(config).toMatchObject({ ...settings, cache_type_v: 'q5_1', main_gpu: 'cuda1' });
    const same = ['--tensor-split', '2,3', '--cache-type-k', 'q8_0'];
    expect((await hearth('load', model, ...same)).stdout).toContain('is already loaded');
    await unload();
    await put(path, {});
  });

  it.each([
    [{ main_gpu: 'CUDA9' }, 'main_gpu', 'CUDA0 (NVIDIA A), CUDA1 (NVIDIA B)'],
    [{ tensor_split: [1, 1, 1] }, 'tensor_split', 'has 3 numbers'],
    [{ tensor_split: [0, 0] }, 'tensor_split', 'only zeros'],
    [{ split_mode: 'columns' }, 'split_mode', 'none'],
    [{ flash_attention: false, cache_type_v: 'q8_0' }, 'flash_attention', 'need flash attention'],
  ])('refuses %j', async (options, param, message) => {
    const { status, body } = await load(options);
    expect({ status, param: body.error.param }).toEqual({ status: 400, param });
    expect(body.error.message).toContain(message);
  });

  it('refuses proportions other than numbers on the command line', async () => {
    const { exitCode, stderr } = await hearth('load', model, '--tensor-split', '3,x');
    expect(exitCode).toBe(2);
    expect(stderr).toContain('a list of numbers with commas');
  });
});
