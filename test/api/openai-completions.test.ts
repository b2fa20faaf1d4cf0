import { readFile } from 'node:fs/promises';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { openAiCompletionSchema } from '../../src/api/openai/completions/text-completion-schema.ts';
import { starterPath } from '../setup/engine/test-engines.ts';
import { placeModel } from '../setup/models/place-model.ts';
import { post } from '../setup/server/api.ts';
import { useHearth } from '../setup/server/use-hearth.ts';

const cuttable = 'nomic-ai/nomic-embed-text-v1.5';
const hearth = useHearth(async (home) => {
  await placeModel(home, cuttable, await readFile(starterPath('embed')));
  return {};
});

const model = 'hearth/starter-chat';
const connect = () =>
  new OpenAI({ baseURL: `${hearth.url}/v1`, apiKey: 'any-word', maxRetries: 0 });

describe('OpenAI completions', () => {
  const start = '<|im_start|>user\nCount from 3 to 9.<|im_end|>\n<|im_start|>assistant\n';
  const prompt = `${start}<think>\n\n</think>\n\n`;

  // covers api-1
  it('continue prompts, one or several, with echo and n', async () => {
    const request = { model, temperature: 0, max_tokens: 5 };
    const one = await connect().completions.create({ ...request, prompt });
    openAiCompletionSchema.parse(one);
    expect(one.system_fingerprint).toMatch(/^b\d+/);
    const [choice] = one.choices;
    expect(choice).toMatchObject({ text: expect.stringMatching(/^3, 4/), finish_reason: 'length' });
    const several = await connect().completions.create({
      ...request,
      prompt: [prompt, 'The sea is'],
      n: 2,
      echo: true,
    });
    expect(several.choices.map(({ index }) => index)).toEqual([0, 1, 2, 3]);
    expect(several.choices[1]?.text).toBe(prompt + choice?.text);
    expect(several.choices[3]?.text).toMatch(/^The sea is/);
    expect(several.usage?.completion_tokens).toBe(20);
    const sixteen = await connect().completions.create({ model, prompt: 'The sea is', seed: 1 });
    expect(sixteen.usage?.completion_tokens).toBeLessThanOrEqual(16);
  });

  it('stream, and give log probabilities', async () => {
    const request = { model, temperature: 0, max_tokens: 5, prompt, logprobs: 1 };
    const whole = await connect().completions.create(request);
    expect(whole.choices[0]?.logprobs?.tokens).toHaveLength(5);
    let text = '';
    const usages = [];
    for await (const { choices, usage } of await connect().completions.create({
      ...request,
      stream: true,
      stream_options: { include_usage: true },
    })) {
      text += choices[0]?.text ?? '';
      if (usage != null) usages.push(usage);
    }
    expect(text).toBe(whole.choices[0]?.text);
    expect(usages).toMatchObject([{ completion_tokens: 5 }]);
  });

  it('take tokens, and refuse ones that the model does not have', async () => {
    const request = { model, temperature: 0, max_tokens: 2 };
    const { choices, usage } = await connect().completions.create({
      ...request,
      prompt: [[5, 6, 7], [8]],
    });
    expect(choices).toHaveLength(2);
    expect(usage?.prompt_tokens).toBeGreaterThanOrEqual(4);
    const mixed = await post(hearth.url, '/v1/completions', {
      ...request,
      prompt: [[5, 6], 'The'],
    });
    expect(mixed).toMatchObject({ status: 200, body: { choices: [{ index: 0 }, { index: 1 }] } });
    await expect(
      connect().completions.create({ ...request, prompt: [2_000_000_000] }),
    ).rejects.toMatchObject({ status: 400 });
  });

  it.each<[string, Partial<OpenAI.CompletionCreateParamsNonStreaming>, string]>([
    ['a suffix without infill', { suffix: 'x' }, 'suffix'],
    ['best_of', { best_of: 3 }, 'best_of'],
    ['log probabilities of the prompt', { echo: true, logprobs: 1 }, 'logprobs'],
  ])('refuse %s', async (_, more, param) => {
    await expect(
      connect().completions.create({ model, prompt: 'x', ...more }),
    ).rejects.toMatchObject({ status: 400, param });
  });
});

describe('OpenAI embeddings', () => {
  const request = { model: 'hearth/starter-embed' };

  // covers api-1
  it('embed texts and tokens, as base64 and as numbers', async () => {
    const asDefault = await connect().embeddings.create({ ...request, input: 'One text' });
    const numbers = await connect().embeddings.create({
      ...request,
      input: ['One text', 'Another'],
      encoding_format: 'float',
    });
    expect(numbers.data).toHaveLength(2);
    expect(asDefault.data[0]?.embedding).toHaveLength(128);
    expect(asDefault.data[0]?.embedding[0]).toBeCloseTo(numbers.data[0]?.embedding[0] ?? 9, 3);
    expect(asDefault.usage.prompt_tokens).toBeGreaterThan(0);
    const tokens = await connect().embeddings.create({ ...request, input: [[5, 6], [7]] });
    expect(tokens.data.map(({ index }) => index)).toEqual([0, 1]);
    const single = await connect().embeddings.create({ ...request, input: [5, 6] });
    expect(single.data).toHaveLength(1);
  });

  it('have the dimensions of the model alone', async () => {
    const { data } = await connect().embeddings.create({
      ...request,
      input: 'x',
      dimensions: 128,
    });
    expect(data[0]?.embedding).toHaveLength(128);
    const shorter = connect().embeddings.create({ ...request, input: 'x', dimensions: 64 });
    await expect(shorter).rejects.toMatchObject({ status: 400, param: 'dimensions' });
  });

  it('are cut where the catalog allows it', async () => {
    const embed = async (more: object) => {
      const { data } = await connect().embeddings.create({
        ...request,
        model: cuttable,
        input: 'x',
        ...more,
      });
      return data[0]?.embedding ?? [];
    };
    const whole = await embed({});
    const cut = await embed({ dimensions: 64 });
    expect(cut).toHaveLength(64);
    expect(Math.hypot(...cut)).toBeCloseTo(1, 4);
    const scale = (cut[0] ?? 0) / (whole[0] ?? 0);
    for (const [index, component] of cut.entries()) {
      expect(component).toBeCloseTo((whole[index] ?? 9) * scale, 4);
    }
    const ollama = { model: cuttable, input: 'x', dimensions: 64 };
    const { body } = await post(hearth.url, '/api/embed', ollama);
    expect(body.embeddings[0]).toHaveLength(64);
    await expect(embed({ dimensions: 63 })).rejects.toMatchObject({ status: 400 });
  });

  it('take empty texts, and texts beside tokens', async () => {
    const input = ['', 'The sea is calm.', [1, 2, 3]];
    const { body } = await post(hearth.url, '/v1/embeddings', { ...request, input });
    const lengths = body.data.map(({ embedding }: { embedding: unknown[] }) => embedding.length);
    expect(new Set(lengths).size).toBe(1);
    expect(lengths).toHaveLength(3);
    expect((await post(hearth.url, '/v1/embeddings', { ...request, input: '' })).status).toBe(200);
  });

  it('refuse tokens that the model does not have', async () => {
    const failure = connect().embeddings.create({ ...request, input: [2_000_000_000] });
    await expect(failure).rejects.toMatchObject({ status: 400 });
    const { data } = await connect().embeddings.create({ ...request, input: 'still there' });
    expect(data).toHaveLength(1);
  });
});
