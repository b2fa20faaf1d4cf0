import { describe, expect, it } from 'vitest';
import { exitReason, loadError } from './exit-reason.ts';

const failed = { exitCode: 1, signal: null };

/** What llama.cpp's server wrote for each case, shortened. */
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
  it.each(Object.entries(outputs))('reads %s', (code, lines) => {
    const reason = exitReason(lines, failed);
    const error = loadError({ ...failed, reason }, { modelPath: '/home/me/m.gguf' });
    expect(error.code).toBe(code);
    expect(error.message).toContain('m.gguf');
    expect(error.message).not.toContain('/home');
  });

  it('blames the memory when the system kills a loading engine', () => {
    const exit = { exitCode: null, signal: 'SIGKILL' } as const;
    const error = loadError({ ...exit, reason: exitReason([], exit) }, { modelPath: 'm.gguf' });
    expect(error).toMatchObject({ code: 'out_of_memory', type: 'insufficient_memory' });
  });
});

describe('exitReason', () => {
  it('names the cause without time stamp and function', () => {
    expect(exitReason(outputs.unsupported_architecture, failed)).toBe(
      "error loading model: unknown model architecture: 'llamx'",
    );
  });

  it('names a file without its folders', () => {
    expect(exitReason(["E: can't use '/a b/c d/e.gguf' at C:\\x\\y.gguf"], failed)).toBe(
      "E: can't use 'e.gguf' at y.gguf",
    );
    expect(exitReason(['2 key/value pairs'], failed)).toBe('2 key/value pairs');
  });

  it('falls back on the first error, the last line and the exit code', () => {
    expect(exitReason(['0.1 I a: fine', '0.2 E b: odd', '0.3 E c: end'], failed)).toBe('odd');
    expect(exitReason(['first', 'last'], failed)).toBe('last');
    expect(exitReason([], failed)).toBe('exit code 1');
    expect(exitReason(['odd'], { exitCode: null, signal: 'SIGTERM' })).toBe('ended by SIGTERM');
  });
});
