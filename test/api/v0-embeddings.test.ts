import { describe, expect, it } from 'vitest';
import { v0EmbeddingResultSchema } from '../../src/api/openai/embeddings/embedding-schema.ts';
import { post } from '../setup/server/api.ts';
import { useHearth } from '../setup/server/use-hearth.ts';

const hearth = useHearth();

describe('v0 embeddings', () => {
  const embed = async (body: Record<string, unknown>) => {
    const answer = await post(hearth.url, '/api/v0/embeddings', {
      model: 'hearth/starter-embed',
      ...body,
    });
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    return v0EmbeddingResultSchema.parse(answer.body);
  };
  const dot = (one: readonly number[], other: readonly number[]) =>
    one.reduce((sum, value, index) => sum + value * (other[index] ?? 0), 0);

  // covers service-3, v0-embedding-2, v0-embedding-5
  it('ranks a related sentence above an unrelated one', async () => {
    const { data, model, usage } = await embed({
      input: [
        'The cat sleeps on the sofa.',
        'A kitten is lying on the couch.',
        'The central bank raised its interest rate.',
      ],
    });
    const vectors = data.map(({ embedding }) => embedding as number[]);
    const [cat = [], kitten = [], bank = []] = vectors;
    expect(dot(cat, kitten)).toBeGreaterThan(dot(cat, bank) + 0.1);
    expect(data.map(({ index }) => index)).toEqual([0, 1, 2]);
    expect(model).toBe('hearth/starter-embed@q8_0');
    expect(usage.prompt_tokens).toBe(usage.total_tokens);
    expect(usage.prompt_tokens).toBeGreaterThan(15);
  });

  // covers v0-embedding-3, v0-embedding-4
  it('returns the same vector as numbers, as base64, and in a batch', async () => {
    const [numbers] = (await embed({ input: 'One text' })).data;
    const [base64] = (await embed({ input: 'One text', encoding_format: 'base64' })).data;
    const batch = (await embed({ input: ['Another', 'One text'] })).data;
    const bytes = Buffer.from(String(base64?.embedding), 'base64');
    const decoded = Array.from({ length: bytes.length / 4 }, (_, index) =>
      bytes.readFloatLE(index * 4),
    );
    const expected = numbers?.embedding as number[];
    expect(decoded).toHaveLength(128);
    expect(dot(decoded, expected)).toBeCloseTo(1, 4);
    expect(dot(batch[1]?.embedding as number[], expected)).toBeCloseTo(1, 3);
  });

  // covers v0-embedding-7
  it.each([
    ['a language model', '/api/v0/embeddings', { model: 'hearth/starter-chat', input: 'x' }],
    [
      'an embedding model for chat',
      '/api/v0/chat/completions',
      { model: 'hearth/starter-embed', messages: [{ role: 'user', content: 'x' }] },
    ],
    [
      'an embedding model for completions',
      '/api/v0/completions',
      { model: 'hearth/starter-embed', prompt: 'x' },
    ],
  ])('refuses %s', async (_, path, body) => {
    const answer = await post(hearth.url, path, body);
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'wrong_model_type' } } });
  });
});
