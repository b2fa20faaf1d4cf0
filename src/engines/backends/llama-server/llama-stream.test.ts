import { describe, expect, it } from 'vitest';
import type { ChatGeneration } from '../../engine.ts';
import { StreamDecoder } from '../wire/stream-decoder.ts';
import { createLlamaDialect } from './llama-dialect.ts';

const llamaDialect = createLlamaDialect([]);

const request: ChatGeneration = { kind: 'chat', messages: [], sampling: {}, stop: ['END'] };

function bytes(...chunks: object[]): Buffer {
  return Buffer.from(chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join(''));
}
function delta(fields: object, more: object = {}): object {
  return { choices: [{ index: 0, finish_reason: null, delta: fields, ...more }] };
}
function finish(reason: string, stop: object): object {
  return { choices: [{ index: 0, finish_reason: reason, delta: {} }], __verbose: stop };
}
const progress = { prompt_progress: { total: 30, cache: 10, processed: 20, time_ms: 1 } };
const timings = {
  choices: [],
  timings: { cache_n: 10, prompt_n: 20, prompt_ms: 1.5, predicted_n: 7, predicted_ms: 2.5 },
};
function timingsOf(count: number): object {
  return { timings: { ...timings.timings, predicted_n: count } };
}
const parseErrors = [
  'Failed to parse input at pos 12: <tool',
  'The model produced output that does not match the expected peg-native format',
].map((message) => ({ error: { code: 500, type: 'server_error', message } }));
const [parseError = {}] = parseErrors;

describe('a stream of llama-server', () => {
  it('joins the events of one read, in order', () => {
    const decoder = new StreamDecoder(request, llamaDialect);
    const events = decoder.decode([
      bytes(progress, delta({ role: 'assistant', content: null })),
      bytes(delta({ reasoning_content: 'Let ' }), delta({ reasoning_content: 'me ' })),
      bytes(delta({ reasoning_content: 'see.' }), delta({ content: 'A' }), delta({ content: 'B' })),
    ]);
    expect(events).toEqual([
      { type: 'prompt.progress', processedTokens: 20, cachedTokens: 10, totalTokens: 30 },
      { type: 'reasoning.delta', text: 'Let me see.', tokens: 3 },
      { type: 'content.delta', text: 'AB', tokens: 2 },
    ]);
    expect(decoder.answer.hasOutput).toBe(true);
  });

  it('decodes events that are split anywhere, even inside a character', () => {
    const decoder = new StreamDecoder(request, llamaDialect);
    const whole = bytes(delta({ content: 'Gr\u00FC\u00DFe \u{1F44B}' }), delta({ content: '!' }));
    const texts = Array.from(whole).flatMap((_, index) =>
      decoder
        .decode([whole.subarray(index, index + 1)])
        .map((event) => (event.type === 'content.delta' ? event.text : '')),
    );
    expect(texts.join('')).toBe('Gr\u00FC\u00DFe \u{1F44B}!');
  });

  it('ends with the stop reason and usage', () => {
    const decoder = new StreamDecoder(request, llamaDialect);
    decoder.decode([
      bytes(delta({ content: 'A' }), finish('stop', { stop_type: 'limit' })),
      bytes(timings),
      Buffer.from('data: [DONE]\n\n: ping\n\n'),
    ]);
    expect(decoder.end()).toEqual({
      type: 'generation.end',
      stopReason: 'maxPredictedTokensReached',
      usage: {
        promptTokens: 30,
        cachedTokens: 10,
        completionTokens: 7,
        promptMs: 1.5,
        generationMs: 2.5,
      },
      isMalformed: false,
    });
  });

  it('reports drafted tokens where there were any', () => {
    const decoder = new StreamDecoder(request, llamaDialect);
    const drafted = { timings: { predicted_n: 7, draft_n: 6, draft_n_accepted: 4 } };
    decoder.decode([bytes(delta({ content: 'A' }), finish('stop', {}), drafted)]);
    expect(decoder.end().usage.drafts).toEqual({ proposedTokens: 6, acceptedTokens: 4 });
  });

  it('stops at a stop string of the visible text, and ignores what follows', () => {
    const decoder = new StreamDecoder(request, llamaDialect);
    const events = decoder.decode([
      bytes(delta({ reasoning_content: 'The END?' }), delta({ content: 'one E' })),
      bytes({ ...delta({ content: 'ND two' }), ...timingsOf(7) }),
      bytes({ ...delta({ content: 'three' }), ...timingsOf(8) }, finish('stop', {}), parseError),
    ]);
    expect(events).toEqual([
      { type: 'reasoning.delta', text: 'The END?' },
      { type: 'content.delta', text: 'one ' },
    ]);
    expect(decoder.answer.stopString).toBeDefined();
    expect(decoder.end()).toMatchObject({
      stopReason: 'stopStringFound',
      isMalformed: false,
      usage: { completionTokens: 7 },
    });
  });

  it('shows text that only began like a stop string, at the latest before a call or the end', () => {
    const call = { index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } };
    const decoder = new StreamDecoder(
      { ...request, tools: [{ name: 'f', parameters: {} }] },
      llamaDialect,
    );
    const events = decoder.decode([
      bytes(delta({ content: 'A E' }), delta({ tool_calls: [call] })),
    ]);
    expect(events.map(({ type }) => type)).toEqual(['content.delta', 'toolCall.delta']);
    expect(events[0]).toMatchObject({ text: 'A E' });
    const other = new StreamDecoder(request, llamaDialect);
    other.decode([bytes(delta({ content: 'A E' }))]);
    expect(other.decode([bytes(finish('stop', { stop_type: 'eos' }))])).toEqual([
      { type: 'content.delta', text: 'E' },
    ]);
  });

  it('leaves out the log probabilities of the stop string', () => {
    const decoder = new StreamDecoder({ ...request, topLogprobs: 0 }, llamaDialect);
    const chunk = (token: string) =>
      delta({ content: token }, { logprobs: { content: [{ token, logprob: -1 }] } });
    const events = decoder.decode([bytes(chunk('A'), chunk(' E'), chunk('ND'))]);
    const tokens = events.flatMap((event) =>
      event.type === 'content.delta' ? (event.logprobs ?? []).map(({ token }) => token) : [],
    );
    expect(tokens).toEqual(['A', ' E']);
  });

  it('counts the reasoning of a generation that is cut', () => {
    const decoder = new StreamDecoder(request, llamaDialect);
    decoder.decode([
      bytes(delta({ reasoning_content: 'Let ' }), delta({ reasoning_content: 'me' })),
      bytes(delta({ content: 'A' })),
    ]);
    expect(decoder.usage().completionTokens).toBe(3);
    expect(decoder.reasoningTokens).toBe(2);
  });

  it('falls back to the OpenAI finish reason', () => {
    const decoder = new StreamDecoder(request, llamaDialect);
    decoder.decode([bytes({ choices: [{ delta: {}, finish_reason: 'length' }] })]);
    expect(decoder.end().stopReason).toBe('maxPredictedTokensReached');
  });

  it('forwards tool calls piece by piece', () => {
    const decoder = new StreamDecoder(request, llamaDialect);
    const call = { index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '{' } };
    const events = decoder.decode([
      bytes(
        delta({ tool_calls: [call] }),
        delta({ tool_calls: [{ index: 0, function: { arguments: '}' } }] }),
        finish('tool_calls', { stop_type: 'eos' }),
      ),
    ]);
    expect(events).toEqual([
      { type: 'toolCall.delta', index: 0, id: 'a', name: 'f', argumentsJson: '{' },
      { type: 'toolCall.delta', index: 0, argumentsJson: '}' },
    ]);
    expect(decoder.end().stopReason).toBe('toolCalls');
  });

  it('cuts log probabilities to the requested length', () => {
    const decoder = new StreamDecoder({ ...request, topLogprobs: 0 }, llamaDialect);
    const wire = { id: 5, token: 'A', bytes: [65], logprob: -0.5 };
    const logprobs = { content: [{ ...wire, top_logprobs: [wire] }] };
    expect(decoder.decode([bytes(delta({ content: 'A' }, { logprobs }))])).toEqual([
      {
        type: 'content.delta',
        text: 'A',
        logprobs: [{ token: 'A', bytes: [65], logprob: -0.5, topLogprobs: [] }],
      },
    ]);
  });

  it.each(parseErrors)('keeps an answer that the engine could not parse: %j', (error) => {
    const decoder = new StreamDecoder(request, llamaDialect);
    const events = decoder.decode([bytes(progress, delta({ content: 'A' }), error)]);
    expect(events.at(-1)).toEqual({ type: 'content.delta', text: 'A' });
    expect(decoder.end()).toMatchObject({
      isMalformed: true,
      usage: { promptTokens: 30, completionTokens: 1 },
    });
  });

  it.each([
    ['one E', [{ text: 'one ' }, { text: 'E' }]],
    ['E', [{ text: 'E' }]],
  ])('shows the end of an answer that the engine could not parse: %s', (content, texts) => {
    const decoder = new StreamDecoder(request, llamaDialect);
    const events = [bytes(delta({ content })), bytes(parseError)].flatMap((each) =>
      decoder.decode([each]),
    );
    expect(events).toMatchObject(texts);
    expect(decoder.end()).toMatchObject({ isMalformed: true });
  });

  it.each([
    ['before any text', 'invalid_output', [parseError]],
    ['after reasoning only', 'invalid_output', [delta({ reasoning_content: 'A' }), parseError]],
    [
      'of another kind',
      'internal',
      [delta({ content: 'A' }), { error: { code: 500, message: 'Compute error.' } }],
    ],
    [
      'without a readable message',
      'internal',
      [delta({ content: 'A' }), { error: { message: 5 } }],
    ],
  ])('throws an engine error %s', (_, code, chunks) => {
    const decoder = new StreamDecoder(request, llamaDialect);
    expect(decoder.decode([bytes(...chunks)])).toHaveLength(chunks.length - 1);
    expect(() => decoder.end()).toThrow(expect.objectContaining({ code }));
  });

  it('throws if the stream is cut', () => {
    const decoder = new StreamDecoder(request, llamaDialect);
    decoder.decode([bytes(delta({ content: 'A' }))]);
    expect(() => decoder.end()).toThrow(expect.objectContaining({ code: 'crashed' }));
  });

  it('ignores text that is not a string', () => {
    const decoder = new StreamDecoder(request, llamaDialect);
    const fields = [{ content: 1 }, { reasoning_content: 2 }, { reasoning: [] }, { content: {} }];
    const chunks = fields.map((each) => delta(each));
    const completion = { choices: [{ index: 0, finish_reason: null, text: 3 }] };
    expect(decoder.decode([bytes(...chunks, completion, { content: true })])).toEqual([]);
  });

  it('throws for an event that is not JSON', () => {
    const decoder = new StreamDecoder(request, llamaDialect);
    expect(() => decoder.decode([Buffer.from('data: {oops\n\n')])).toThrow('not JSON');
  });
});
