import { describe, expect, it } from 'vitest';
import { get, post, stream } from '../setup/server/api.ts';
import { useHearth } from '../setup/server/use-hearth.ts';

/** The exact fields of each response, which API clients rely on. */

const hearth = useHearth();

/** The names of all fields. Fields of nested objects follow a dot, fields of list items follow `[]`. */
function fieldsOf(value: unknown, path = ''): readonly string[] {
  if (Array.isArray(value)) {
    return [...new Set(value.flatMap((item) => fieldsOf(item, `${path}[]`)))].toSorted();
  }
  if (typeof value !== 'object' || value === null) return [path];
  const prefix = path === '' ? '' : `${path}.`;
  return Object.entries(value)
    .flatMap(([key, field]) => fieldsOf(field, prefix + key))
    .toSorted();
}

async function answer(path: string, body?: unknown) {
  const { status, body: received } =
    body === undefined ? await get(hearth.url, path) : await post(hearth.url, path, body);
  expect(status, JSON.stringify(received)).toBe(200);
  return received;
}

const report = [
  'model_info.arch',
  'model_info.context_length',
  'model_info.format',
  'model_info.quant',
  'runtime.name',
  'runtime.supported_formats[]',
  'runtime.version',
  'stats.generation_time',
  'stats.stop_reason',
  'stats.time_to_first_token',
  'stats.tokens_per_second',
  'usage.completion_tokens',
  'usage.prompt_tokens',
  'usage.total_tokens',
];
const envelope = ['created', 'id', 'model', 'object', ...report];
const rhymes = {
  model: 'hearth/starter-vision',
  messages: [
    { role: 'system', content: 'Always answer in rhymes.' },
    { role: 'user', content: 'Introduce yourself.' },
  ],
  temperature: 0.7,
  max_tokens: -1,
};

describe('v0 has the fields of', () => {
  const record = [
    'arch',
    'capabilities[]',
    'compatibility_type',
    // For OpenAI's clients, like `owned_by`.
    'created',
    'id',
    'max_context_length',
    'object',
    'owned_by',
    'publisher',
    'quantization',
    'state',
    'type',
  ];

  // covers v0-model-1, v0-model-6
  it('a model, not loaded and loaded', async () => {
    const path = '/api/v0/models/hearth/starter-chat';
    expect(fieldsOf(await answer(path))).toEqual(record);
    await answer('/api/v1/models/load', { model: 'hearth/starter-chat' });
    expect(fieldsOf(await answer(path))).toEqual([...record, 'loaded_context_length'].toSorted());
    await answer('/api/v1/models/unload', { instance_id: 'hearth/starter-chat' });
    expect(fieldsOf(await answer(path))).toEqual(record);
    const { object, data } = await answer('/api/v0/models');
    expect([object, Array.isArray(data)]).toEqual(['list', true]);
  });

  // covers service-4, v0-chat-2, v0-chat-6
  it('a chat completion', async () => {
    const result = await answer('/api/v0/chat/completions', { ...rhymes, stream: false });
    const choice = ['finish_reason', 'index', 'logprobs', 'message.content', 'message.role'];
    const reasoning = 'choices[].message.reasoning_content';
    expect(fieldsOf(result).filter((field) => field !== reasoning)).toEqual(
      [...envelope, ...choice.map((field) => `choices[].${field}`)].toSorted(),
    );
    expect(result.choices[0].logprobs).toBeNull();
  });

  // covers v0-chat-25
  it('the chunks of a streamed one', async () => {
    const events = await stream(hearth.url, '/api/v0/chat/completions', rhymes);
    const chunks = events.slice(0, -1).map(({ data }) => JSON.parse(data));
    const head = ['created', 'id', 'model', 'object'];
    for (const chunk of chunks.slice(0, -1)) {
      expect(Object.keys(chunk).toSorted()).toEqual(['choices', ...head]);
    }
    expect(Object.keys(chunks.at(-1)).toSorted()).toEqual(
      ['choices', ...head, 'model_info', 'runtime', 'stats', 'usage'].toSorted(),
    );
    expect(chunks.at(-1).choices[0].delta).toEqual({});
  });

  // covers service-4, v0-completion-1
  it('a text completion', async () => {
    const result = await answer('/api/v0/completions', {
      model: 'hearth/starter-vision',
      prompt: 'the meaning of life is',
      temperature: 0.7,
      max_tokens: 10,
      stream: false,
      stop: '\n',
    });
    const choice = ['finish_reason', 'index', 'logprobs', 'text'];
    expect(fieldsOf(result)).toEqual(
      [...envelope, ...choice.map((field) => `choices[].${field}`)].toSorted(),
    );
  });

  // covers v0-embedding-1
  it('an embedding', async () => {
    const result = await answer('/api/v0/embeddings', {
      model: 'hearth/starter-embed',
      input: 'Some text to embed',
    });
    expect(fieldsOf(result)).toEqual([
      'data[].embedding[]',
      'data[].index',
      'data[].object',
      'model',
      'object',
      'usage.prompt_tokens',
      'usage.total_tokens',
    ]);
  });
});

describe('v1 has the fields of', () => {
  const path = '/api/v1/chat';
  const hello = {
    model: 'hearth/starter-chat',
    input: 'Hello!',
    temperature: 0,
    reasoning: 'off',
  };
  const result = [
    'model_instance_id',
    'output[].content',
    'output[].type',
    'stats.input_tokens',
    'stats.reasoning_output_tokens',
    'stats.time_to_first_token_seconds',
    'stats.tokens_per_second',
    'stats.total_output_tokens',
  ];
  const stored = [...result, 'response_id'].toSorted();

  // covers v1-chat-17, v1-chat-22, v1-output-1, v1-output-14
  it('a chat that loads the model, one that does not, and one that is not stored', async () => {
    expect(fieldsOf(await answer(path, hello))).toEqual(
      [...stored, 'stats.model_load_time_seconds'].toSorted(),
    );
    expect(fieldsOf(await answer(path, hello))).toEqual(stored);
    expect(fieldsOf(await answer(path, { ...hello, store: true }))).toEqual(stored);
    expect(fieldsOf(await answer(path, { ...hello, store: false }))).toEqual(result);
  });

  it('the same if it is streamed', async () => {
    for (const [store, fields] of [
      [true, stored],
      [false, result],
    ] as const) {
      const events = await stream(hearth.url, path, { ...hello, store });
      const end = JSON.parse(events.at(-1)?.data ?? '');
      expect(Object.keys(end).toSorted()).toEqual(['result', 'type']);
      expect(fieldsOf(end.result)).toEqual(fields);
    }
  });

  // covers v1-model-6, v1-model-7, v1-model-11
  it('a load, with its configuration only if requested, and an unload', async () => {
    const load = { model: 'hearth/starter-chat' };
    const plain = ['instance_id', 'load_time_seconds', 'status', 'type'];
    const first = await answer('/api/v1/models/load', { ...load, echo_load_config: false });
    expect(fieldsOf(first)).toEqual(plain);
    const second = await answer('/api/v1/models/load', { ...load, echo_load_config: true });
    expect(fieldsOf(second)).toEqual(
      [...plain, 'load_config.context_length', 'load_config.parallel'].toSorted(),
    );
    for (const { instance_id: id } of [first, second]) {
      expect(await answer('/api/v1/models/unload', { instance_id: id })).toEqual({
        instance_id: id,
      });
    }
  });
});
