import { describe, expect, it } from 'vitest';
import { exitReason, loadError } from './exit-reason.ts';

const failed = { exitCode: 1, signal: null };
const aborted = { exitCode: null, signal: 'SIGABRT' } as const;
const killed = { exitCode: null, signal: 'SIGKILL' } as const;

/** Output of llama.cpp's server in each case, shortened. */
const outputs = {
  corrupt_file: [
    "0.00.006.203 E llama_model_load: error loading model: tensor 'a' data is not within the file bounds, model is corrupted or incomplete",
    "0.00.006.218 E srv    load_model: failed to load model, '/home/me/a b/m.gguf'",
    'error: Failed to init server, please check the input params.',
  ],
  unsupported_architecture: [
    "0.00.004.980 E llama_model_load: error loading model: unknown model architecture: 'llamx'",
    'error: Failed to init server, please check the input params.',
  ],
  out_of_memory: [
    '0.00.304.751 E ggml_aligned_malloc: insufficient memory (attempted to allocate 18000.00 MB)',
    '0.00.315.762 E llama_init_from_model: failed to initialize the context',
  ],
  missing_file: [
    "0.00.003.821 E gguf_init_from_file: failed to open GGUF file '/home/me/m.gguf' (No such file or directory)",
    '0.00.003.931 E llama_model_load: error loading model: failed to load model from /home/me/m.gguf',
  ],
  engine_exited: ['error: unknown cache type: q99'],
} as const;

describe('loadError', () => {
  it('says how a model needs less memory of its GPU', () => {
    const reason = 'cudaMalloc failed: out of memory';
    const exit = { exitCode: 1, signal: null, reason };
    const gpus = { devices: [{ id: 'CUDA0', layers: 33 }] };
    const error = loadError(exit, { modelPath: 'm.gguf', gpuLayers: 33, gpus });
    expect(error.code).toBe('out_of_memory');
    expect(error.message).toContain(`${reason}. Load it with fewer than 33 gpuLayers.`);
    const onHost = loadError(exit, { modelPath: 'm.gguf', gpuLayers: 0, gpus: { devices: [] } });
    expect(onHost.message).not.toContain('gpuLayers');
  });

  it('names a way to split that the engine lacks', () => {
    const lines = ['0.1 E error loading model: device CUDA0 does not support split buffers'];
    const exit = { ...failed, reason: exitReason(lines, failed, 'loading') };
    const devices = ['CUDA0', 'CUDA1'].map((id) => ({ id, layers: 16 }));
    const error = loadError(exit, { modelPath: 'm.gguf', gpus: { devices, splitMode: 'row' } });
    expect(error).toMatchObject({
      code: 'invalid_value',
      field: 'splitMode',
      message:
        "The engine can't split a model by row on these GPUs (error loading model: device CUDA0 does not support split buffers). Set splitMode to layer.",
    });
  });

  it.each(Object.entries(outputs))('reads %s', (code, lines) => {
    const reason = exitReason(lines, failed, 'loading');
    const error = loadError({ ...failed, reason }, { modelPath: '/home/me/m.gguf' });
    expect(error.code).toBe(code);
    expect(error.message).toContain('m.gguf');
    expect(error.message).not.toContain('/home');
  });

  it('reports out_of_memory if the system kills a loading engine for lack of memory', () => {
    const reason = exitReason([], killed, 'loading');
    const exit = { ...killed, reason, lackedMemory: 'system' } as const;
    const error = loadError(exit, { modelPath: 'm.gguf' });
    expect(error).toMatchObject({ code: 'out_of_memory', type: 'insufficient_memory' });
  });

  it('reports that a loading engine was killed while memory was not short', () => {
    const reason = exitReason([], killed, 'loading');
    expect(loadError({ ...killed, reason }, { modelPath: 'm.gguf' })).toMatchObject({
      code: 'engine_exited',
      message: 'The engine stopped while it loaded the model (m.gguf): ended by SIGKILL',
    });
  });

  it.each([
    ['engine_exited', '/b/src/', 'context.cpp:22: GGML_ASSERT(tensor_corrupted) failed'],
    ['engine_exited', 'C:\\b\\', 'common.cpp:45: get_sub_batch: failed to add token 0'],
    ['engine_exited', '', "terminate called after throwing an instance of 'E'"],
    ['out_of_memory', '', "terminate called after throwing an instance of 'bad_alloc'"],
  ])('returns %s among other lines, for %s%s', (code, folder, words) => {
    const lines = [
      '0.1 E load: wrong shape',
      folder + words,
      '38 ../syscall.S: No such file or directory',
    ];
    const reason = exitReason(lines, aborted, 'loading');
    expect(reason).toBe(words);
    expect(loadError({ ...aborted, reason }, { modelPath: 'm.gguf' }).code).toBe(code);
  });

  it('does not report a missing model file if the engine misses another file', () => {
    const line = 'error while loading shared libraries: libx.so: No such file or directory';
    const reason = exitReason([line], failed, 'loading');
    expect(loadError({ ...failed, reason }, { modelPath: 'm.gguf' }).code).toBe('engine_exited');
  });
});

describe('exitReason', () => {
  it('returns the cause without time stamp and function', () => {
    expect(exitReason(outputs.unsupported_architecture, failed, 'loading')).toBe(
      "error loading model: unknown model architecture: 'llamx'",
    );
  });

  it('returns a file name without its folders', () => {
    const lines = ["E: can't use '/a b/c d/e.gguf' at C:\\x\\y.gguf"];
    expect(exitReason(lines, failed, 'loading')).toBe("E: can't use 'e.gguf' at y.gguf");
    expect(exitReason(['2 key/value pairs'], failed, 'loading')).toBe('2 key/value pairs');
  });

  it('falls back on the first error, the last line and the exit code', () => {
    const lines = ['0.1 I a: fine', '0.2 E b: odd', '0.3 E c: end'];
    expect(exitReason(lines, failed, 'loading')).toBe('odd');
    expect(exitReason(['first', 'last'], failed, 'loading')).toBe('last');
    expect(exitReason([], failed, 'loading')).toBe('exit code 1');
  });

  it('returns the signal if no line is an error', () => {
    const lines = ['0.1 E a: odd', 'last'];
    expect(exitReason(lines, aborted, 'loading')).toBe('ended by SIGABRT');
    expect(exitReason(lines, aborted, 'ready')).toBe('ended by SIGABRT');
  });

  it('ignores the lines after an external signal', () => {
    const lines = ['0.1 E a: failed to allocate'];
    expect(exitReason(lines, killed, 'ready')).toBe('ended by SIGKILL');
    expect(exitReason(lines, { exitCode: null, signal: 'SIGTERM' }, 'ready')).toBe(
      'ended by SIGTERM',
    );
  });

  it('ignores errors of requests after the engine was ready', () => {
    const lines = [
      '0.1 E srv    send_error: task id = 8, error: out of memory',
      '0.1 E cache: failed to allocate, so it does without',
      '0.2 E parse: a message of a client',
    ];
    expect(exitReason(lines.toSpliced(1, 1), failed, 'ready')).toBe('exit code 1');
    expect(exitReason([...lines, '/b/c.cpp:1: GGML_ASSERT(x) failed'], aborted, 'ready')).toBe(
      'c.cpp:1: GGML_ASSERT(x) failed',
    );
  });
});
