import { describe, expect, it } from 'vitest';
import type { ChatGeneration, GenerationEvent, GenerationRequest } from '../../engine.ts';
import { StreamDecoder } from '../wire/stream-decoder.ts';
import { mlxDialect } from './mlx-dialect.ts';

/** Replies recorded from mlx-lm 0.32.2 with the starter model, without the fields that Hearth does not read. */
const prompt = {
  choices: [],
  usage: { prompt_tokens: 58, total_tokens: 58, prompt_tokens_details: { cached_tokens: 12 } },
};
const usage = {
  choices: [],
  usage: { ...prompt.usage, completion_tokens: 53, total_tokens: 111 },
};

const delta = (fields: object) => ({
  choices: [{ index: 0, finish_reason: null, delta: { role: 'assistant', ...fields } }],
});
const finish = (reason: string) => ({
  choices: [{ index: 0, finish_reason: reason, delta: { role: 'assistant' } }],
});
const chat: ChatGeneration = { kind: 'chat', messages: [], sampling: {} };

function bytesOf(events: readonly object[], last = 'data: [DONE]\n\n'): Buffer {
  const lines = events.map((event) => `data: ${JSON.stringify(event)}\n\n`);
  return Buffer.from([': keepalive 58/58\n\n', ...lines, last].join(''));
}

function decode(
  events: readonly object[],
  request: GenerationRequest = chat,
): readonly GenerationEvent[] {
  const decoder = new StreamDecoder(request, mlxDialect);
  const decoded = bytesOf(events)
    .toString()
    .split(/(?<=\n\n)/)
    .flatMap((piece) => decoder.decode([Buffer.from(piece)]));
  return [...decoded, decoder.end()];
}

const textOf = (events: readonly GenerationEvent[], type: 'content.delta' | 'reasoning.delta') =>
  events.map((event) => (event.type === type ? event.text : '')).join('');

describe('a stream of mlx-lm', () => {
  it('separates reasoning and answer, and leaves out the line breaks between them', () => {
    const events = decode([
      prompt,
      ...['\n', 'The', ' user', ' greets', '.', '\n'].map((reasoning) => delta({ reasoning })),
      ...['\n\n', 'Hello', '!', '\n', 'How?'].map((content) => delta({ content })),
      finish('stop'),
      usage,
    ]);
    expect(textOf(events, 'reasoning.delta')).toBe('The user greets.');
    expect(textOf(events, 'content.delta')).toBe('Hello!\nHow?');
    expect(events.at(-1)).toMatchObject({
      type: 'generation.end',
      stopReason: 'eosFound',
      reasoningTokens: 6,
      usage: { promptTokens: 58, cachedTokens: 12, completionTokens: 53 },
      isMalformed: false,
    });
  });

  it('keeps line breaks of a model that does not reason', () => {
    const events = decode([delta({ content: '\n x' }), finish('stop')]);
    expect(textOf(events, 'content.delta')).toBe('\n x');
  });

  it('reads the calls that the server leaves in the text', () => {
    const call =
      '\n\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>';
    const events = decode([
      prompt,
      delta({ reasoning: '\nCall it.\n' }),
      ...call.split(/(?<= )/).map((content) => delta({ content })),
      finish('stop'),
      usage,
    ]);
    expect(events.filter(({ type }) => type !== 'reasoning.delta')).toMatchObject([
      { type: 'toolCall.delta', index: 0, name: 'get_weather', argumentsJson: '{"city":"Paris"}' },
      { type: 'generation.end', stopReason: 'toolCalls' },
    ]);
  });

  const parsed = (name: string, index: number) =>
    delta({
      tool_calls: [
        { function: { name, arguments: '{"city": "Rome"}' }, type: 'function', id: name, index },
      ],
    });

  it('passes on the calls that the server parsed', () => {
    const events = decode([parsed('one', 0), parsed('two', 1), finish('tool_calls'), usage]);
    expect(events).toMatchObject([
      {
        type: 'toolCall.delta',
        index: 0,
        id: 'one',
        name: 'one',
        argumentsJson: '{"city": "Rome"}',
      },
      { type: 'toolCall.delta', index: 1, id: 'two', name: 'two' },
      { type: 'generation.end', stopReason: 'toolCalls' },
    ]);
  });

  it('shows one call where a request allows no more', () => {
    const events = decode([parsed('one', 0), parsed('two', 1), finish('tool_calls')], {
      ...chat,
      callsInParallel: false,
    });
    expect(events.map(({ type }) => type)).toEqual(['toolCall.delta', 'generation.end']);
  });

  it('marks a call that the server could not parse, and left out', () => {
    const events = decode([delta({ content: 'Wait.' }), finish('tool_calls'), usage]);
    expect(events.at(-1)).toMatchObject({ isMalformed: true });
  });

  it('ends at a stop string that spans tokens, and counts what was generated', () => {
    const decoder = new StreamDecoder({ ...chat, stop: ['lp y', 'never'] }, mlxDialect);
    const events = ['How can I he', 'lp', ' you', ' today?'].flatMap((content) =>
      decoder.answer.stopString !== undefined
        ? []
        : decoder.decode([bytesOf([prompt, delta({ content })], '')]),
    );
    expect(textOf(events, 'content.delta')).toBe('How can I he');
    expect(decoder.answer.stopString).toBeDefined();
    expect(decoder.end()).toMatchObject({
      stopReason: 'stopStringFound',
      stopString: 'lp y',
      usage: { promptTokens: 58, cachedTokens: 12, completionTokens: 3 },
    });
  });

  it('shows the beginning of a stop string that does not come', () => {
    const events = decode([delta({ content: 'He' }), finish('stop')], { ...chat, stop: ['Hello'] });
    expect(textOf(events, 'content.delta')).toBe('He');
  });

  it.each([
    [20, 53, 'contextLengthReached'],
    [53, 53, 'maxPredictedTokensReached'],
  ])('tells a full context from the limit of a request: %s', (_, tokens, reason) => {
    const maxTokens = reason === 'contextLengthReached' ? 100 : tokens;
    const events = decode([delta({ content: 'x' }), finish('length'), usage], {
      ...chat,
      maxTokens,
    });
    expect(events.at(-1)).toMatchObject({ stopReason: reason });
  });

  it('decodes text completions', () => {
    const events = decode(
      [
        { choices: [{ index: 0, finish_reason: null, text: '<tool_call>' }] },
        { choices: [{ index: 0, finish_reason: 'length', text: ' the' }] },
      ],
      { kind: 'completion', prompt: 'What is', sampling: {}, maxTokens: 2 },
    );
    expect(textOf(events, 'content.delta')).toBe('<tool_call> the');
  });

  it('tells an engine that ended from one that reports an error', () => {
    const cut = new StreamDecoder(chat, mlxDialect);
    cut.decode([bytesOf([delta({ content: 'x' })], '')]);
    expect(() => cut.end()).toThrow(expect.objectContaining({ code: 'crashed' }));
    const failed = new StreamDecoder(chat, mlxDialect);
    failed.decode([bytesOf([{ error: { message: 'no such image' } }])]);
    expect(() => failed.end()).toThrow(
      expect.objectContaining({ code: 'internal', message: 'The engine failed: no such image' }),
    );
  });
});
