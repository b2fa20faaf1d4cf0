import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type {
  ChatGeneration,
  Engine,
  EngineCapabilities,
  EngineMessage,
} from '../../src/engines/engine.ts';
import { createTestEngines, generateAll, type TestEngines } from '../setup/engine/test-engines.ts';
import { testContext } from '../setup/test-context.ts';

const sampling = { temperature: 0 };
const getTide = {
  name: 'get_tide',
  description: 'Tide of a harbour',
  parameters: { type: 'object', properties: { harbour: { type: 'string' } } },
};

function ask(text: string, more: Partial<ChatGeneration> = {}): ChatGeneration {
  return {
    kind: 'chat',
    messages: [{ role: 'user', content: text }],
    sampling,
    reasoning: 'off',
    ...more,
  };
}

let engines: TestEngines;
let capabilities: EngineCapabilities;
let engine: Engine;

beforeAll(async () => {
  engines = await createTestEngines();
  ({ engine, capabilities } = await engines.launch('chat', { parallel: 2 }));
});
afterAll(() => engines.close());

describe('chat', () => {
  it('describes itself', () => {
    expect(capabilities).toEqual({
      runtimeName: `llama.cpp-${process.platform}-${process.arch}-cpu`,
      runtimeVersion: 'b11549',
      supportedFormats: ['gguf'],
      contextLength: 2048,
    });
  });

  it('streams an answer and counts its tokens', async () => {
    const { content, reasoning, events, end } = await generateAll(
      engine,
      ask('What is the capital of France?'),
    );
    expect(content).toContain('Paris');
    expect(reasoning).toBe('');
    expect(events.filter((event) => event.type === 'content.delta').length).toBeGreaterThan(0);
    expect(end).toMatchObject({ stopReason: 'eosFound', isMalformed: false });
    expect(end.usage.promptTokens).toBeGreaterThan(5);
    // The end-of-text token is included.
    expect(end.usage.completionTokens).toBe((await engine.countTokens(content, testContext())) + 1);
    expect(end.usage.generationMs).toBeGreaterThan(0);
  });

  it('splits reasoning from the answer', async () => {
    const { reasoning, content } = await generateAll(engine, ask('Hello!', { reasoning: 'on' }));
    expect(reasoning).toContain('The user says');
    expect(content).toContain('Hello');
    expect(content).not.toContain('think');
  });

  it.each(['low', 'medium', 'high'] as const)(
    'accepts the reasoning level %s',
    async (reasoning) => {
      const generated = await generateAll(engine, ask('Hello!', { reasoning }));
      expect(generated.reasoning).toContain('The user says');
    },
  );

  it('calls a tool and answers with its result', async () => {
    const messages: EngineMessage[] = [{ role: 'user', content: 'Get the tide of Brest' }];
    const { events, end } = await generateAll(engine, ask('', { messages, tools: [getTide] }));
    const deltas = events.filter((event) => event.type === 'toolCall.delta');
    expect(end.stopReason).toBe('toolCalls');
    expect(deltas[0]).toMatchObject({ index: 0, name: 'get_tide', id: expect.any(String) });
    const argumentsJson = deltas.map((delta) => delta.argumentsJson).join('');
    expect(JSON.parse(argumentsJson)).toEqual({ harbour: 'Brest' });

    const id = deltas[0]?.id ?? '';
    messages.push(
      { role: 'assistant', content: '', toolCalls: [{ id, name: 'get_tide', argumentsJson }] },
      { role: 'tool', toolCallId: id, content: '{"tide": "high"}' },
    );
    const answer = await generateAll(engine, ask('', { messages, tools: [getTide] }));
    expect(answer.content).toContain('high');
  });

  it('accepts back a tool call whose arguments are not JSON', async () => {
    const messages: EngineMessage[] = [
      { role: 'user', content: 'Get the tide of Brest' },
      {
        role: 'assistant',
        content: '',
        toolCalls: [{ id: 'a', name: 'get_tide', argumentsJson: '{oops' }],
      },
      { role: 'tool', toolCallId: 'a', content: 'The arguments are not JSON.' },
    ];
    const { end } = await generateAll(engine, ask('', { messages, tools: [getTide] }));
    expect(end.usage.completionTokens).toBeGreaterThan(0);
  });

  it('calls no tool with toolChoice none', async () => {
    const request = ask('Get the tide of Brest', { tools: [getTide], toolChoice: 'none' });
    const { events, content } = await generateAll(engine, request);
    expect(content).not.toContain('tool_call');
    expect(events.filter(({ type }) => type === 'toolCall.delta')).toMatchObject([
      { name: 'get_tide' },
    ]);
  });

  it.each(['required', { name: 'get_tide' }] as const)(
    'always calls a tool with the choice %o, also after reasoning',
    async (toolChoice) => {
      for (const reasoning of ['off', 'on'] as const) {
        const options = { tools: [getTide], toolChoice, reasoning, maxTokens: 200 };
        const { events, content, end } = await generateAll(engine, ask('Who are you?', options));
        const calls = events.filter((event) => event.type === 'toolCall.delta');
        expect(calls[0]).toMatchObject({ name: 'get_tide' });
        const json = calls.map(({ argumentsJson }) => argumentsJson).join('');
        expect(JSON.parse(json)).toBeTypeOf('object');
        expect(content).toBe('');
        expect(end.stopReason).toBe('toolCalls');
      }
    },
  );

  it('offers only the tool that was chosen by name', async () => {
    const getWeather = { ...getTide, name: 'get_weather', description: 'Weather of a city' };
    const request = ask('Get the tide of Brest', {
      tools: [getWeather, getTide],
      toolChoice: { name: 'get_tide' },
    });
    const { events } = await generateAll(engine, request);
    expect(events.find((event) => event.type === 'toolCall.delta')).toMatchObject({
      name: 'get_tide',
    });
  });

  it('follows a JSON schema', async () => {
    const schema = {
      type: 'object',
      properties: { answer: { enum: ['yes', 'no'] } },
      required: ['answer'],
    };
    const responseFormat = { type: 'json_schema', schema } as const;
    const { content } = await generateAll(engine, ask('Hello!', { responseFormat, maxTokens: 60 }));
    expect(['yes', 'no']).toContain(JSON.parse(content).answer);
  });

  // covers v0-chat-16
  it('answers with a JSON object', async () => {
    const request = ask('Hello!', { responseFormat: { type: 'json_object' }, maxTokens: 200 });
    const { content } = await generateAll(engine, request);
    expect(content.trimStart()).toMatch(/^\{/u);
  });

  it('reports log probabilities', async () => {
    const { events } = await generateAll(engine, ask('Hello!', { topLogprobs: 2, maxTokens: 3 }));
    const tokens = events.flatMap((event) =>
      event.type === 'content.delta' ? (event.logprobs ?? []) : [],
    );
    expect(tokens).toHaveLength(3);
    expect(tokens[0]?.token).toBe('Hello');
    expect(tokens[0]?.logprob).toBeLessThanOrEqual(0);
    expect(tokens[0]?.topLogprobs).toHaveLength(2);
    const none = await generateAll(engine, ask('Hello!', { topLogprobs: 0, maxTokens: 1 }));
    const delta = none.events.find((event) => event.type === 'content.delta');
    expect(delta).toMatchObject({ logprobs: [{ token: 'Hello', topLogprobs: [] }] });
  });

  it('adds a bias to a token', async () => {
    const { content } = await generateAll(
      engine,
      ask('Hello!', { sampling: { ...sampling, logitBias: { '559': 100 } }, maxTokens: 2 }),
    );
    expect(content).toBe('CountCount');
  });

  // covers v0-chat-15
  it('generates the same text for the same seed', async () => {
    const request = ask('Tell me a story', {
      sampling: { temperature: 1, seed: 7, topP: 0.9, topK: 50, minP: 0.01, repeatPenalty: 1.1 },
      maxTokens: 40,
    });
    const first = await generateAll(engine, request);
    expect((await generateAll(engine, request)).content).toBe(first.content);
  });
});

describe('prompt', () => {
  const question: EngineMessage = { role: 'user', content: 'My name is Ada.' };

  it('takes the earlier turns from the cache', async () => {
    const first = await generateAll(engine, ask('', { messages: [question] }));
    const messages: EngineMessage[] = [
      question,
      { role: 'assistant', content: first.content },
      { role: 'user', content: 'What is my name?' },
    ];
    const second = await generateAll(engine, ask('', { messages }));
    expect(second.content).toContain('Ada');
    expect(second.end.usage.cachedTokens).toBeGreaterThanOrEqual(first.end.usage.promptTokens - 8);
  });

  it('reports its progress', async () => {
    const request = ask('Hello there '.repeat(300), { maxTokens: 1 });
    const { events, end } = await generateAll(engine, request);
    const steps = events.filter((event) => event.type === 'prompt.progress');
    expect(steps.length).toBeGreaterThan(2);
    expect(steps.map((step) => step.processedTokens)).toEqual(
      steps.map((step) => step.processedTokens).toSorted((left, right) => left - right),
    );
    expect(steps.at(-1)).toMatchObject({
      processedTokens: end.usage.promptTokens,
      totalTokens: end.usage.promptTokens,
    });
  });

  it('is rejected with both numbers if it is longer than the context', async () => {
    const request = ask('Hello there '.repeat(2_000));
    await expect(generateAll(engine, request)).rejects.toMatchObject({
      code: 'context_length_exceeded',
      message: expect.stringMatching(/^The prompt has \d{4} tokens; .* holds 2048\.$/u),
    });
  });

  it('is rejected with an image if the model has no vision', async () => {
    const image = { type: 'image', dataUrl: 'data:image/png;base64,aaaa' } as const;
    const request = ask('', { messages: [{ role: 'user', content: [image] }] });
    await expect(generateAll(engine, request)).rejects.toMatchObject({
      code: 'vision_unsupported',
    });
  });
});

describe('stop reason', () => {
  it('reports a stop string', async () => {
    const { content, end } = await generateAll(engine, ask('Count from 3 to 9.', { stop: ['7'] }));
    expect(end.stopReason).toBe('stopStringFound');
    expect(content).toContain('6');
    expect(content).not.toContain('7');
  });

  it('reports the token limit', async () => {
    const { end } = await generateAll(engine, ask('Count from 3 to 9.', { maxTokens: 4 }));
    expect(end.stopReason).toBe('maxPredictedTokensReached');
    expect(end.usage.completionTokens).toBe(4);
  });

  it('reports a full context', async () => {
    const endTokens = { '0': -100, '2': -100 };
    const { end } = await generateAll(
      engine,
      ask('Tell me a story', { sampling: { ...sampling, logitBias: endTokens } }),
    );
    expect(end.stopReason).toBe('contextLengthReached');
    expect(end.usage.promptTokens + end.usage.completionTokens).toBeGreaterThanOrEqual(2047);
  });
});
