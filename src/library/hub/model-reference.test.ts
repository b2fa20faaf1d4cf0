import { describe, expect, it } from 'vitest';
import { Catalog } from './catalog.ts';
import { parseModelReference } from './model-reference.ts';

const catalog = new Catalog();
const official = { endpoint: new URL('https://huggingface.co'), catalog };
const mirror = { endpoint: new URL('http://mirror.lan:8080/hf/'), catalog };
const repository = { owner: 'owner', name: 'Model-1.5_GGUF' };
const base = 'https://huggingface.co/owner/Model-1.5_GGUF';

describe('parseModelReference', () => {
  // covers v1-download-1
  it.each([
    [base, {}],
    [`${base}/`, {}],
    [`  ${base}?not-for-all-audiences=true#files `, {}],
    ['http://www.huggingface.co/owner/Model-1.5_GGUF', {}],
    ['https://hf.co/owner/Model-1.5_GGUF', {}],
    [`${base}/tree/main`, { revision: 'main' }],
    [`${base}/tree/v1.0/Q4_K_M`, { revision: 'v1.0', folder: 'Q4_K_M' }],
    [`${base}/tree/refs%2Fpr%2F1`, { revision: 'refs/pr/1' }],
    [`${base}/tree/refs/pr/1/sub`, { revision: 'refs/pr/1', folder: 'sub' }],
    [`${base}/blob/main/a%20b.gguf`, { revision: 'main', file: 'a b.gguf' }],
    [`${base}/resolve/main/sub/a.gguf?download=true`, { revision: 'main', file: 'sub/a.gguf' }],
  ])('reads %s', (text, rest) => {
    const expected = { repository, isUrl: true, ...rest };
    expect(parseModelReference(text, official)).toStrictEqual(expected);
    expect(parseModelReference(text, mirror)).toStrictEqual(expected);
  });

  it('parses URLs of a mirror', () => {
    const own = 'http://mirror.lan:8080/hf/owner/Model-1.5_GGUF/tree/main';
    expect(parseModelReference(own, mirror)).toStrictEqual({
      repository,
      revision: 'main',
      isUrl: true,
    });
    expect(() => parseModelReference(own, official)).toThrow(/is not on huggingface\.co/);
  });

  it('parses owner/name, and ids of the catalog in any case', () => {
    expect(parseModelReference('owner/Model-1.5_GGUF', official)).toStrictEqual({
      repository,
      isUrl: false,
    });
    expect(parseModelReference('Qwen3-0.6B', official)).toMatchObject({
      repository: { owner: 'Qwen', name: 'Qwen3-0.6B-GGUF' },
      catalogEntry: { id: 'qwen3-0.6b', quantization: 'Q8_0' },
      isUrl: false,
    });
  });

  it.each([
    ['', /neither in the catalog/],
    ['unknown-model', /neither in the catalog/],
    ['a/b/c', /neither in the catalog/],
    ['../etc', /neither in the catalog/],
    ['owner/..', /neither in the catalog/],
    ['owner/.hidden', /neither in the catalog/],
    ['owner/nul.gguf', /neither in the catalog/],
    ['owner/a\nb', /neither in the catalog/],
    ['https://huggingface.co/datasets/owner/name', /datasets; Hearth downloads models/],
    ['https://huggingface.co/spaces/owner/name', /spaces; Hearth downloads models/],
    ['https://huggingface.co', /names no repository/],
    ['https://huggingface.co/owner', /names no repository/],
    ['https://huggingface.co/owner/..%2Fx', /names no repository/],
    [`${base}/tree`, /no valid revision/],
    [`${base}/tree/..%2F..%2Fapi`, /no valid revision/],
    [`${base}/tree/ma%20in`, /no valid revision/],
    [`${base}/blob/main`, /names no model/],
    [`${base}/discussions/1`, /names no model/],
    [`${base}/blob/main/..%2F..%2Fx.gguf`, /a path that no model has/],
    [`${base}/blob/main/a%00.gguf`, /a path that no model has/],
    [`${base}/blob/main/%E0%A4%A.gguf`, /an invalid percent encoding/],
    ['https://example.com/owner/name', /is not on huggingface\.co/],
    ['https://huggingface.co.example.com/owner/name', /is not on huggingface\.co/],
    ['https://huggingface.co:8443/owner/name', /is not on huggingface\.co/],
    ['https://huggingface.co@example.com/owner/name', /not a valid URL/],
    ['ftp://huggingface.co/owner/name', /not a valid URL/],
    ['file:///etc/passwd', /not a valid URL/],
    ['https://', /not a valid URL/],
  ])('refuses %j', (text, message) => {
    expect(() => parseModelReference(text, official)).toThrow(
      expect.objectContaining({
        code: 'invalid_value',
        field: 'model',
        message: expect.stringMatching(message),
      }),
    );
  });
});
