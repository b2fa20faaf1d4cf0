import { describe, expect, it } from 'vitest';
import { serverStatusSchema } from '../../src/api/v1/server/status-schema.ts';
import {
  loadResultSchema,
  v1ModelListSchema,
  v1ModelSchema,
} from '../../src/api/v1/models/model-schema.ts';
import { get, post } from '../setup/server/api.ts';
import { picture } from '../setup/models/picture.ts';
import { useHearth } from '../setup/server/use-hearth.ts';

const hearth = useHearth();

const chat = (body: Record<string, unknown>) =>
  post(hearth.url, '/api/v1/chat', { temperature: 0, store: false, ...body });
const instances = async () => {
  const { body } = await get(hearth.url, '/api/v1/status');
  return serverStatusSchema.parse(body).instances;
};

describe('v1 models', () => {
  // covers v1-model-1, v1-model-2, v1-model-3
  it('describes each starter model and its capabilities', async () => {
    const { body } = await get(hearth.url, '/api/v1/models');
    const { models } = v1ModelListSchema.parse(body);
    const byKey = new Map(models.map((model) => [model.key, model]));
    expect(byKey.get('hearth/starter-chat')).toMatchObject({
      type: 'llm',
      publisher: 'hearth',
      architecture: 'llama',
      quantization: { name: 'Q8_0' },
      loaded_instances: [],
      max_context_length: 4096,
      format: 'gguf',
      capabilities: {
        vision: false,
        trained_for_tool_use: true,
        reasoning: { allowed_options: ['off', 'on'], default: 'on' },
      },
    });
    expect(byKey.get('hearth/starter-vision')?.capabilities?.vision).toBe(true);
    const embedding = byKey.get('hearth/starter-embed');
    expect(embedding?.type).toBe('embedding');
    expect(embedding).not.toHaveProperty('capabilities');
    expect(embedding).not.toHaveProperty('architecture');
  });

  // covers service-8, v1-model-4, v1-model-5, v1-model-6, v1-model-8, v1-model-11
  it('loads a second instance as key:2, shows both, and unloads each by its id', async () => {
    const load = async (more: Record<string, unknown> = {}) => {
      const { body } = await post(hearth.url, '/api/v1/models/load', {
        model: 'hearth/starter-chat',
        ...more,
      });
      return loadResultSchema.parse(body);
    };
    expect(await load()).toMatchObject({
      type: 'llm',
      instance_id: 'hearth/starter-chat',
      status: 'loaded',
      load_time_seconds: expect.any(Number),
    });
    const second = await load({ context_length: 512, parallel: 1, echo_load_config: true });
    expect(second.instance_id).toBe('hearth/starter-chat:2');
    expect(second.load_config).toMatchObject({ context_length: 512, parallel: 1 });

    const shown = await get(hearth.url, '/api/v1/models/hearth/starter-chat');
    expect(
      v1ModelSchema
        .parse(shown.body)
        .loaded_instances.map(({ id, config }) => [id, config.context_length]),
    ).toEqual([
      ['hearth/starter-chat', 4096],
      ['hearth/starter-chat:2', 512],
    ]);
    const answer = await chat({ model: 'hearth/starter-chat:2', input: 'Hello!' });
    expect(answer.body.model_instance_id).toBe('hearth/starter-chat:2');

    for (const id of ['hearth/starter-chat:2', 'hearth/starter-chat']) {
      const unloaded = await post(hearth.url, '/api/v1/models/unload', { instance_id: id });
      expect(unloaded).toMatchObject({ status: 200, body: { instance_id: id } });
    }
    expect(await instances()).toEqual([]);
  });

  // covers v1-chat-15, v1-chat-22
  it('loads on request with the requested context length, and reports the duration', async () => {
    const first = await chat({
      model: 'hearth/starter-chat',
      input: 'Hello!',
      context_length: 1024,
    });
    expect(first.body.stats.model_load_time_seconds).toEqual(expect.any(Number));
    const again = await chat({
      model: 'hearth/starter-chat',
      input: 'Hello!',
      context_length: 1024,
    });
    expect(again.body.stats).not.toHaveProperty('model_load_time_seconds');
    expect(again.body.model_instance_id).toBe(first.body.model_instance_id);
    const other = await chat({
      model: 'hearth/starter-chat',
      input: 'Hello!',
      context_length: 2048,
    });
    expect(other.body.model_instance_id).toBe('hearth/starter-chat');
    expect((await instances()).map(({ config }) => config.context_length)).toEqual([2048]);
    const any = await chat({ model: 'hearth/starter-chat', input: 'Hello!' });
    expect(any.body.stats).not.toHaveProperty('model_load_time_seconds');
    expect((await instances()).map(({ config }) => config.context_length)).toEqual([2048]);
  });

  it('measures whether drafts pay, and counts drafted tokens in the stats and the metrics', async () => {
    const load = (speculation: string) =>
      post(hearth.url, '/api/v1/models/load', {
        model: 'hearth/starter-chat',
        speculation,
        identifier: speculation,
        echo_load_config: true,
      });
    const { body: missing } = await load('mtp');
    expect(missing.error).toMatchObject({ code: 'invalid_value', param: 'speculation' });
    const { body: measured } = await load('auto');
    expect(measured.load_config).toMatchObject({ speculation: 'auto' });
    const chosen = (await instances()).find(({ id }) => id === 'auto');
    expect(['off', 'ngram']).toContain(chosen?.chosen_speculation);
    await load('ngram');
    await load('off');
    const prompt =
      'one two three four five six seven eight nine ten eleven twelve thirteen. '.repeat(6);
    const complete = (model: string, more: Record<string, unknown> = {}) =>
      post(hearth.url, '/api/v0/completions', {
        model,
        prompt,
        temperature: 0,
        max_tokens: 64,
        ...more,
      });
    const { body: plain } = await complete('off', { logprobs: 1 });
    const { body: drafted } = await complete('ngram');
    const textOf = (body: typeof plain) => body.choices[0].text;
    expect(textOf(drafted)).toBe(textOf(plain));
    expect(textOf((await complete('auto')).body)).toBe(textOf(plain));
    expect(plain.stats).not.toHaveProperty('total_draft_tokens_count');
    const { total_draft_tokens_count: proposed, accepted_draft_tokens_count: accepted } =
      drafted.stats;
    expect(accepted).toBeGreaterThan(0);
    expect(proposed).toBeGreaterThanOrEqual(accepted);
    const { body: refused } = await complete('ngram', { logprobs: 1 });
    expect(refused.error).toMatchObject({
      code: 'invalid_value',
      message: expect.stringContaining('speculation'),
    });
    const metrics = await (await fetch(`${hearth.url}/metrics`)).text();
    const [, counted] =
      /^hearth_draft_tokens_accepted_total\{model="hearth\/starter-chat"\} (\d+)$/mu.exec(
        metrics,
      ) ?? [];
    expect(Number(counted)).toBeGreaterThanOrEqual(accepted);
  });

  // covers v1-model-9
  it('unloads an instance that was idle for its time to live', async () => {
    await post(hearth.url, '/api/v1/models/load', {
      model: 'hearth/starter-embed',
      ttl: 1,
    });
    await expect
      .poll(async () => (await instances()).map(({ id }) => id), { timeout: 20_000 })
      .not.toContain('hearth/starter-embed');
  });
});

describe('reasoning', () => {
  const types = async (body: Record<string, unknown>) => {
    const { body: result } = await chat({
      model: 'hearth/starter-chat',
      input: 'My name is Zorbek.',
      ...body,
    });
    return [result.output.map(({ type }: { type: string }) => type), result.stats] as const;
  };

  // covers v1-chat-13, v1-output-2, v1-output-4, v1-output-12
  it('is a separate item if it is on, and follows the default of the model', async () => {
    for (const setting of [{ reasoning: 'on' }, {}]) {
      const [items, stats] = await types(setting);
      expect(items).toEqual(['reasoning', 'message']);
      expect(stats.reasoning_output_tokens).toBeGreaterThan(5);
      expect(stats.reasoning_output_tokens).toBeLessThan(stats.total_output_tokens);
    }
  });

  // covers v1-chat-13, v1-output-12
  it('is left out if it is off', async () => {
    const [items, stats] = await types({ reasoning: 'off' });
    expect(items).toEqual(['message']);
    expect(stats.reasoning_output_tokens).toBe(0);
  });
});

describe('vision', () => {
  const ask = async (dataUrl: string) => {
    const { body } = await chat({
      model: 'hearth/starter-vision',
      reasoning: 'off',
      input: [
        { type: 'text', content: 'What colour is the picture?' },
        { type: 'image', data_url: dataUrl },
      ],
    });
    return String(body.output[0].content).toLowerCase();
  };

  // covers v1-chat-4
  it.each(['red', 'green', 'blue', 'yellow'])(
    'names the colour of a %s picture',
    async (colour) => {
      expect(await ask(await picture(colour))).toContain(colour);
    },
  );

  // covers v1-chat-3, v1-chat-25
  it('remembers an image in the next turn', async () => {
    const first = await chat({
      model: 'hearth/starter-vision',
      reasoning: 'off',
      store: true,
      input: [
        { type: 'image', data_url: await picture('blue') },
        { type: 'message', content: 'Hello!' },
      ],
    });
    const second = await chat({
      model: 'hearth/starter-vision',
      reasoning: 'off',
      store: true,
      previous_response_id: first.body.response_id,
      input: 'What colour is the picture?',
    });
    expect(String(second.body.output[0].content).toLowerCase()).toContain('blue');
    const shown = await get(hearth.url, `/api/v1/responses/${first.body.response_id}`);
    expect(shown.body.input[0]).toMatchObject({
      type: 'image',
      data_url: expect.stringMatching(/^data:image\/png;base64,/),
    });
  });
});
