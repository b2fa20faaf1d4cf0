import { describe, expect, it } from 'vitest';
import { chooseFiles } from './choose-files.ts';
import type { HubRepository } from './hub.ts';

function repository(paths: readonly string[], rest: Partial<HubRepository> = {}): HubRepository {
  return {
    owner: 'owner',
    name: 'Model-GGUF',
    commit: '0'.repeat(40),
    license: null,
    isMlx: false,
    files: paths.map((path) => ({
      path,
      sizeBytes: 1,
      checksum: { algorithm: 'sha256', hex: '0'.repeat(64) },
    })),
    ...rest,
  };
}

function chosen(
  paths: readonly string[],
  selection: Parameters<typeof chooseFiles>[1] = {},
  rest: Partial<HubRepository> = {},
): unknown {
  const { quantization, files } = chooseFiles(repository(paths, rest), selection);
  return [quantization, ...files.map(({ path }) => path)];
}

describe('the quantization of a GGUF model', () => {
  it('defaults to Q4_K_M and ignores case', () => {
    const paths = ['model-Q8_0.gguf', 'model-Q4_K_M.gguf', 'model-Q4_K_S.gguf', 'README.md'];
    expect(chosen(paths)).toStrictEqual(['Q4_K_M', 'model-Q4_K_M.gguf']);
    expect(chosen(paths, { quantization: 'q8_0' })).toStrictEqual(['Q8_0', 'model-Q8_0.gguf']);
  });

  it.each([
    [['Q5_K_M', 'Q4_K_S', 'Q3_K_M'], 'Q4_K_S'],
    [['Q3_K_M', 'IQ4_XS', 'Q5_K_M'], 'IQ4_XS'],
    [['Q8_0', 'Q3_K_M'], 'Q8_0'],
    [['F16', 'Q8_0', 'Q6_K'], 'Q6_K'],
    [['F16', 'Q2_K', 'IQ1_S'], 'F16'],
    [['F32', 'BF16'], 'BF16'],
    [['Q2_K', 'IQ1_S'], 'Q2_K'],
    [['MXFP4'], 'MXFP4'],
    [['Q9_X', 'IQ1_S'], 'IQ1_S'],
  ])('of %j is %s', (labels, label) => {
    const [quantization] = chosen(labels.map((one) => `model-${one}.gguf`)) as [string];
    expect(quantization).toBe(label);
  });

  it('is the one of the catalog if the repository has it', () => {
    const selection = { preferredQuantization: 'Q8_0' };
    expect(chosen(['m-Q8_0.gguf', 'm-Q4_K_M.gguf'], selection)).toStrictEqual([
      'Q8_0',
      'm-Q8_0.gguf',
    ]);
    expect(chosen(['m-Q4_K_M.gguf'], selection)).toStrictEqual(['Q4_K_M', 'm-Q4_K_M.gguf']);
  });

  it('is null if file names have none', () => {
    expect(chosen(['model.gguf'])).toStrictEqual([null, 'model.gguf']);
  });

  it('may be in the name of a folder', () => {
    const paths = ['Q8_0/model-00001-of-00001.gguf', 'Q4_K_M/model.gguf'];
    expect(chosen(paths)).toStrictEqual(['Q4_K_M', 'Q4_K_M/model.gguf']);
  });

  it('distinguishes plain from dynamic quantizations', () => {
    const paths = ['model-UD-Q4_K_M.gguf', 'model-Q4_K_M.gguf', 'model-UD-Q4_K_XL.gguf'];
    expect(chosen(paths)).toStrictEqual(['Q4_K_M', 'model-Q4_K_M.gguf']);
    expect(chosen(paths, { quantization: 'ud-q4_k_m' })).toStrictEqual([
      'UD-Q4_K_M',
      'model-UD-Q4_K_M.gguf',
    ]);
    expect(chosen(paths, { quantization: 'Q4_K_XL' })).toStrictEqual([
      'UD-Q4_K_XL',
      'model-UD-Q4_K_XL.gguf',
    ]);
  });

  it('is rejected if missing, with a list of those that exist', () => {
    const paths = ['model-Q8_0.gguf', 'model-Q4_K_M.gguf'];
    expect(() => chosen(paths, { quantization: 'Q5_K_M' })).toThrow(
      expect.objectContaining({
        code: 'invalid_value',
        field: 'quantization',
        message: 'owner/Model-GGUF has no quantization "Q5_K_M". It has Q4_K_M, Q8_0.',
      }),
    );
  });
});

describe('the files of a GGUF model', () => {
  const parts = [1, 2, 3].map((part) => `m-Q4_K_M-0000${part}-of-00003.gguf`);

  it('include all parts of a split, in order', () => {
    expect(chosen(parts.toReversed())).toStrictEqual(['Q4_K_M', ...parts]);
    expect(chosen(parts, { file: parts[1] })).toStrictEqual(['Q4_K_M', ...parts]);
  });

  it('are complete: an incomplete quantization is skipped by default, and rejected if requested', () => {
    const paths = [...parts.slice(1), 'm-Q8_0.gguf'];
    expect(chosen(paths)).toStrictEqual(['Q8_0', 'm-Q8_0.gguf']);
    expect(() => chosen(paths, { quantization: 'Q4_K_M' })).toThrow(/lacks part 1 of the 3 of/);
    expect(() => chosen(['m-Q4_K_M-00002-of-99999.gguf'])).toThrow(
      /lacks part 1, 3, 4, 5, 6, \.\.\./,
    );
  });

  it('include the projector in the best precision, and only files of the model', () => {
    const paths = [
      'm-Q4_K_M.gguf',
      'mmproj-F32.gguf',
      'mmproj-BF16.gguf',
      'mmproj-F16.gguf',
      'm.imatrix.gguf',
      'imatrix.gguf',
      'm-lora-F16.gguf',
      'mtp-m-Q4_0.gguf',
      'config.json',
    ];
    expect(chosen(paths)).toStrictEqual(['Q4_K_M', 'm-Q4_K_M.gguf', 'mmproj-F16.gguf']);
  });

  it('include the projector of their own model', () => {
    const paths = ['a-Q4_K_M.gguf', 'b-Q4_K_M.gguf', 'mmproj-a-f16.gguf', 'mmproj-b-f16.gguf'];
    expect(chosen(paths, { file: 'b-Q4_K_M.gguf' })).toStrictEqual([
      'Q4_K_M',
      'b-Q4_K_M.gguf',
      'mmproj-b-f16.gguf',
    ]);
    expect(chosen(paths.slice(0, 3), { file: 'b-Q4_K_M.gguf' })).toStrictEqual([
      'Q4_K_M',
      'b-Q4_K_M.gguf',
    ]);
  });

  it('belong to the model that the repository is named after, and a note lists the others', () => {
    const paths = ['another-Q4_K_M.gguf', 'another-Q8_0.gguf', 'model-Q8_0.gguf'];
    expect(chosen(paths)).toStrictEqual(['Q8_0', 'model-Q8_0.gguf']);
    const { note } = chooseFiles(repository(paths), {});
    expect(note).toContain('"model-Q8_0.gguf", one of 2 models');
    expect(note).toContain('another-Q4_K_M.gguf');
    expect(chosen(paths, {}, { name: 'Other' })).toStrictEqual(['Q4_K_M', 'another-Q4_K_M.gguf']);
    expect(chooseFiles(repository(['m-Q8_0.gguf']), {}).note).toBeNull();
  });

  it('can be limited to a folder', () => {
    const paths = ['a/m-Q4_K_M.gguf', 'ab/m-Q8_0.gguf'];
    expect(chosen(paths, { folder: 'ab' })).toStrictEqual(['Q8_0', 'ab/m-Q8_0.gguf']);
    expect(() => chosen(paths, { folder: 'c' })).toThrow(/no GGUF files in "c"/);
  });

  it('must differ in more than case', () => {
    const paths = ['m-00001-of-00002.gguf', 'M-00001-of-00002.gguf', 'm-00002-of-00002.gguf'];
    expect(chosen(paths)).toStrictEqual([null, paths[0], paths[2]]);
    const mlx = ['config.json', 'Config.json', 'model.safetensors'];
    expect(() => chosen(mlx, {}, { isMlx: true })).toThrow(/can't tell apart/);
  });
});

describe('an MLX model', () => {
  const paths = [
    'config.json',
    'model-00001-of-00002.safetensors',
    'model-00002-of-00002.safetensors',
    'model.safetensors.index.json',
    'tokenizer.json',
    'chat_template.jinja',
    'LICENSE',
    'README.md',
    'picture.png',
    'modeling.py',
    '1_Pooling/config.json',
    'a/b/config.json',
  ];

  it('includes all its files except documentation, pictures and code', () => {
    const expected = [...paths.slice(0, 7), '1_Pooling/config.json'];
    expect(chosen(paths, {}, { isMlx: true })).toStrictEqual([null, ...expected]);
    expect(chosen(paths, {}, { owner: 'mlx-community' })).toStrictEqual([null, ...expected]);
  });

  it('has no quantizations, and must have all its parts', () => {
    const selection = { quantization: 'Q4_K_M' };
    expect(() => chosen(paths, selection, { isMlx: true })).toThrow(/leave quantization out/);
    const without = paths.filter((path) => !path.includes('00002-of'));
    expect(() => chosen(without, {}, { isMlx: true })).toThrow(/1 of the 2 parts/);
  });

  it('is used only without a GGUF model', () => {
    expect(chosen([...paths, 'm-Q8_0.gguf'], {}, { isMlx: true })).toStrictEqual([
      'Q8_0',
      'm-Q8_0.gguf',
    ]);
  });
});

describe('a repository without a model', () => {
  it.each([
    [['README.md'], /neither GGUF files nor an MLX model\. Look for one/],
    [['config.json', 'model.safetensors'], /in a format that Hearth does not run/],
    [['pytorch_model.bin'], /in a format that Hearth does not run/],
    [['mmproj-F16.gguf'], /neither GGUF files nor an MLX model/],
  ])('%j is rejected', (paths, message) => {
    expect(() => chosen(paths)).toThrow(
      expect.objectContaining({
        code: 'invalid_value',
        field: 'model',
        message: expect.stringMatching(message),
      }),
    );
  });

  it('rejects a missing file, and one that is only a part of a model', () => {
    const paths = ['m-Q8_0.gguf', 'mmproj-F16.gguf', 'README.md'];
    expect(() => chosen(paths, { file: 'other.gguf' })).toThrow(
      expect.objectContaining({ code: 'model_not_found' }),
    );
    expect(() => chosen(paths, { file: 'mmproj-F16.gguf' })).toThrow(/is only a part of a model/);
    expect(() => chosen(paths, { file: 'README.md' })).toThrow(/is only a part of a model/);
  });
});
