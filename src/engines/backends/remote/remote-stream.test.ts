import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ChatGeneration, GenerationEvent, GenerationRequest } from '../../engine.ts';
import { StreamDecoder } from '../wire/stream-decoder.ts';
import { kindsOfServers } from './kinds.ts';

const { dialect } = kindsOfServers.openai;

const chat: ChatGeneration = {
  kind: 'chat',
  messages: [{ role: 'user', content: 'Hello' }],
  sampling: {},
};

/** Decodes a whole stream. Each element is the data of one event. */
function decode(
  data: readonly unknown[],
  request: GenerationRequest = chat,
): readonly GenerationEvent[] {
  const decoder = new StreamDecoder(request, dialect);
  const text = data
    .map((each) => `data: ${typeof each === 'string' ? each : JSON.stringify(each)}\n\n`)
    .join('');
  return [...decoder.decode([Buffer.from(text)]), decoder.end()];
}

const delta = (fields: object, rest: object = {}) => ({
  choices: [{ index: 0, delta: fields, ...rest }],
});
const finish = (reason: string, rest: object = {}) => delta({}, { finish_reason: reason, ...rest });

function contentOf(events: readonly GenerationEvent[], type = 'content.delta'): string {
  return events.map((event) => (event.type === type && 'text' in event ? event.text : '')).join('');
}

function endOf(events: readonly GenerationEvent[]) {
  const end = events.at(-1);
  if (end?.type !== 'generation.end') throw new Error('no end');
  return end;
}

describe('text', () => {
  it('is joined, with the usage of the last event', () => {
    const events = decode([
      delta({ role: 'assistant', content: '' }),
      delta({ content: 'Hel' }),
      delta({ content: 'lo.' }),
      finish('stop'),
      {
        choices: [],
        usage: {
          prompt_tokens: 7,
          completion_tokens: 2,
          prompt_tokens_details: { cached_tokens: 5 },
        },
      },
      '[DONE]',
    ]);
    expect(contentOf(events)).toBe('Hello.');
    expect(endOf(events)).toMatchObject({
      stopReason: 'eosFound',
      usage: { promptTokens: 7, cachedTokens: 5, completionTokens: 2 },
    });
  });

  it.each(['reasoning_content', 'reasoning'])('of thoughts is read from %s', (field) => {
    const events = decode([
      delta({ [field]: 'Hmm' }),
      delta({ content: 'Yes' }),
      finish('stop'),
      {
        choices: [],
        usage: { completion_tokens: 9, completion_tokens_details: { reasoning_tokens: 6 } },
      },
    ]);
    expect(contentOf(events, 'reasoning.delta')).toBe('Hmm');
    expect(contentOf(events)).toBe('Yes');
    expect(endOf(events).reasoningTokens).toBe(6);
  });

  it('without usage is counted by its deltas, and the prompt estimated', () => {
    const end = endOf(decode([delta({ content: 'a' }), delta({ content: 'b' }), finish('stop')]));
    expect(end.usage.completionTokens).toBe(2);
    expect(end.usage.promptTokens).toBeGreaterThan(0);
  });

  it('of a completion comes in the choices themselves', () => {
    const request: GenerationRequest = {
      kind: 'completion',
      prompt: 'Once',
      sampling: {},
      topLogprobs: 2,
    };
    const events = decode(
      [
        {
          choices: [
            {
              text: ' upon',
              logprobs: {
                tokens: [' upon'],
                token_logprobs: [-0.5],
                top_logprobs: [{ ' in': -2, ' upon': -0.5, ' a': -3 }],
              },
            },
          ],
        },
        { choices: [{ text: '', finish_reason: 'length' }] },
      ],
      request,
    );
    expect(contentOf(events)).toBe(' upon');
    const [first] = events;
    expect(first).toMatchObject({
      logprobs: [
        { token: ' upon', logprob: -0.5, topLogprobs: [{ token: ' upon' }, { token: ' in' }] },
      ],
    });
  });
});

describe('the time of a generation', () => {
  /** Decodes two reads with a pause between them, in milliseconds. */
  function timeOf(pauseMs: number, last: object = {}): number {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const decoder = new StreamDecoder(chat, dialect);
    const bytes = (event: object) => [Buffer.from(`data: ${JSON.stringify(event)}\n\n`)];
    decoder.decode(bytes(delta({ content: 'a' })));
    vi.advanceTimersByTime(pauseMs);
    decoder.decode(bytes({ ...finish('stop'), ...last }));
    vi.advanceTimersByTime(500);
    return decoder.end().usage.generationMs;
  }

  it('is that between its first and its last read', () => {
    expect(timeOf(300)).toBe(300);
  });

  it('is not measured if the answer arrives nearly at once', () => {
    expect(timeOf(0)).toBe(0);
    expect(timeOf(3)).toBe(0);
  });

  it('is that of the server if it reports one', () => {
    expect(timeOf(3, { timings: { prompt_n: 5, predicted_n: 2, predicted_ms: 40 } })).toBe(40);
  });
});

describe('markup that the server leaves in the text', () => {
  const pieces = (text: string) =>
    (text.match(/.{1,4}/gsu) ?? []).map((content) => delta({ content }));
  const call = '<tool_call>\n{"name": "look", "arguments": {"at": "sea"}}\n</tool_call>';
  const looked = [{ id: expect.any(String), name: 'look', argumentsJson: '{"at":"sea"}' }];

  it('of reasoning is read if the text begins with it', () => {
    const events = decode([...pieces('<think>\nHmm.\n</think>\n\nYes.'), finish('stop')]);
    expect(contentOf(events, 'reasoning.delta')).toBe('Hmm.');
    expect(contentOf(events)).toBe('Yes.');
    expect(endOf(events).reasoningTokens).toBeGreaterThan(0);
  });

  it.each([call, `${call}\n${call}`])('of calls is read if the text begins with it: %s', (text) => {
    const events = decode([...pieces(text), finish('stop')]);
    expect(contentOf(events)).toBe('');
    expect(callsOf(events)).toEqual(text === call ? looked : [...looked, ...looked]);
    expect(endOf(events).stopReason).toBe('toolCalls');
  });

  it('of calls is read after that of reasoning', () => {
    const text = `<think>\nHmm.\n</think>\n\nI look.\n${call}`;
    const events = decode([...pieces(text), finish('stop')]);
    expect(contentOf(events, 'reasoning.delta')).toBe('Hmm.');
    expect(contentOf(events)).toBe('I look.\n');
    expect(callsOf(events)).toEqual(looked);
  });

  it.each([`Write this: ${call}`, 'Write <think>, then </think>.'])(
    'is text if the text begins with something else: %s',
    (text) => {
      const events = decode([...pieces(text), finish('stop')]);
      expect(contentOf(events)).toBe(text);
      expect(endOf(events).stopReason).toBe('eosFound');
    },
  );

  it('is text in a completion', () => {
    const request: GenerationRequest = { kind: 'completion', prompt: 'x', sampling: {} };
    const events = decode([{ choices: [{ text: '<think>a', finish_reason: 'stop' }] }], request);
    expect(contentOf(events)).toBe('<think>a');
  });

  it('takes the log probabilities of its tokens with it', () => {
    const tokens = ['<think>', 'Hmm', '</think>', '\n\n', 'Yes', '.'].map((token) =>
      delta({ content: token }, { logprobs: { content: [{ token, logprob: -1 }] } }),
    );
    const events = decode([...tokens, finish('stop')], { ...chat, topLogprobs: 0 });
    const shown = events.flatMap((event) =>
      event.type === 'content.delta' ? (event.logprobs ?? []).map(({ token }) => token) : [],
    );
    expect(shown).toEqual(['Yes', '.']);
  });
});

describe('line breaks', () => {
  it('between reasoning and answer are left out', () => {
    const reasoning = ['\nHm', 'm.\n'].map((text) => delta({ reasoning: text }));
    const content = ['\n\n', 'Yes.', '\n'].map((text) => delta({ content: text }));
    const events = decode([...reasoning, ...content, finish('stop')]);
    expect(contentOf(events, 'reasoning.delta')).toBe('Hmm.');
    expect(contentOf(events)).toBe('Yes.\n');
  });

  it.each([{ reasoning: 'Hmm.' }, {}])(
    'before a call do not become a message, after %j',
    (first) => {
      const look = { index: 0, id: 'a', function: { name: 'look', arguments: '{}' } };
      const events = decode([
        delta(first),
        delta({ content: '\n\n' }),
        delta({ tool_calls: [look] }),
        finish('tool_calls'),
      ]);
      expect(events.filter(({ type }) => type === 'content.delta')).toEqual([]);
      expect(callsOf(events)).toEqual([{ id: 'a', name: 'look', argumentsJson: '{}' }]);
    },
  );

  it('at the beginning of an answer without reasoning stay', () => {
    const content = ['\n', ' x'].map((text) => delta({ content: text }));
    expect(contentOf(decode([...content, finish('stop')]))).toBe('\n x');
  });
});

describe('the end', () => {
  it.each([
    ['a limit of tokens', { ...chat, maxTokens: 2 }, finish('length'), 'maxPredictedTokensReached'],
    ['a full context', chat, finish('length'), 'contextLengthReached'],
    [
      'a stop string',
      { ...chat, stop: ['END'] },
      finish('stop', { stop_reason: 'END' }),
      'stopStringFound',
    ],
    [
      'a stop string of SGLang',
      { ...chat, stop: ['END'] },
      finish('stop', { matched_stop: 'END' }),
      'stopStringFound',
    ],
    [
      'a stop token',
      { ...chat, stop: ['END'] },
      finish('stop', { stop_reason: 128009 }),
      'eosFound',
    ],
  ])('at %s', (_name, request, last, stopReason) => {
    expect(endOf(decode([delta({ content: 'x' }), last], request)).stopReason).toBe(stopReason);
  });

  it('is missing if the connection closes early', () => {
    expect(() => decode([delta({ content: 'x' })])).toThrow('its answer broke off');
    expect(() => decode([delta({ role: 'assistant', content: '' })])).toThrow('broke off');
    expect(() => decode([])).toThrow('its answer broke off');
  });

  it.each([
    ['with a chunk without a reason', [delta({ role: 'assistant', content: '' }), '[DONE]']],
    ['with the usage alone', [{ choices: [], usage: { completion_tokens: 0 } }, '[DONE]']],
    ['without a chunk', ['[DONE]']],
    ['without the last line', [finish('stop')]],
  ])('may come without a token: %s', (_name, data) => {
    const events = decode(data);
    expect(contentOf(events)).toBe('');
    expect(endOf(events)).toMatchObject({
      stopReason: 'eosFound',
      usage: { completionTokens: 0 },
      isMalformed: false,
    });
  });

  it('reports an error inside the stream after the text before it', () => {
    const decoder = new StreamDecoder(chat, dialect);
    const text = `data: ${JSON.stringify(delta({ content: 'x' }))}\n\ndata: {"error":{"message":"CUDA error"}}\n\n`;
    expect(contentOf(decoder.decode([Buffer.from(text)]))).toBe('x');
    expect(() => decoder.end()).toThrow('CUDA error');
  });

  it.each(['<html>', '3', 'null', '"text"'])('is an error for the event %s', (data) => {
    expect(() => decode([data])).toThrow('not JSON');
  });
});

describe('tool calls', () => {
  const call = (fields: object) => delta({ tool_calls: [fields] });

  it('may be interleaved', () => {
    const events = decode([
      call({ index: 0, id: 'a', function: { name: 'one', arguments: '' } }),
      call({ index: 1, id: 'b', function: { name: 'two', arguments: '' } }),
      call({ index: 0, function: { arguments: '{"x":' } }),
      call({ index: 1, function: { arguments: '{}' } }),
      call({ index: 0, function: { arguments: '1}' } }),
      finish('tool_calls'),
    ]);
    expect(callsOf(events)).toEqual([
      { id: 'a', name: 'one', argumentsJson: '{"x":1}' },
      { id: 'b', name: 'two', argumentsJson: '{}' },
    ]);
    expect(endOf(events).stopReason).toBe('toolCalls');
  });

  it('may repeat the index for another call', () => {
    const events = decode([
      call({ index: 0, id: 'a', function: { name: 'one', arguments: '{}' } }),
      call({ index: 0, id: 'b', function: { name: 'two', arguments: '{}' } }),
      finish('stop'),
    ]);
    expect(callsOf(events).map(({ name }) => name)).toEqual(['one', 'two']);
    expect(endOf(events).stopReason).toBe('toolCalls');
  });

  it('may repeat id and name in every delta', () => {
    const events = decode([
      call({ index: 0, id: 'a', function: { name: 'one', arguments: '{' } }),
      call({ index: 0, id: 'a', function: { name: 'one', arguments: '}' } }),
      finish('tool_calls'),
    ]);
    expect(callsOf(events)).toEqual([{ id: 'a', name: 'one', argumentsJson: '{}' }]);
  });

  it('may have no id and no index', () => {
    const events = decode([
      call({ function: { name: 'one', arguments: '{"a"' } }),
      call({ function: { arguments: ':1}' } }),
      finish('tool_calls'),
    ]);
    expect(callsOf(events)).toEqual([
      { id: expect.stringMatching(/^[0-9a-f]{9}$/), name: 'one', argumentsJson: '{"a":1}' },
    ]);
  });

  it('may have their arguments as an object', () => {
    const events = decode([
      call({ index: 0, id: 'a', function: { name: 'one', arguments: { city: 'Oslo' } } }),
      finish('tool_calls'),
    ]);
    expect(callsOf(events)).toEqual([{ id: 'a', name: 'one', argumentsJson: '{"city":"Oslo"}' }]);
  });

  it.each([
    ['in the name', [{ id: 'a', function: { name: 7, arguments: '{}' } }], []],
    ['in the arguments', [{ id: 'a', function: { name: 'one', arguments: 7 } }], ['']],
    ['in the id', [{ id: {}, function: { name: 'one', arguments: '{}' } }], ['{}']],
    ['in place of a function', [{ id: 'a', function: null }], []],
    ['in place of a call', [null, 7], []],
    ['in place of the calls', { length: 1 }, []],
  ])('do without values of another type %s', (_place, calls, expected) => {
    const events = decode([delta({ tool_calls: calls }), finish('stop')]);
    expect(callsOf(events).map(({ argumentsJson }) => argumentsJson)).toEqual(expected);
    expect(callsOf(events).every(({ id }) => id !== '' && typeof id === 'string')).toBe(true);
  });
});

function callsOf(events: readonly GenerationEvent[]) {
  const calls: { id: string; name: string; argumentsJson: string }[] = [];
  for (const event of events) {
    if (event.type !== 'toolCall.delta') continue;
    const call = (calls[event.index] ??= { id: '', name: '', argumentsJson: '' });
    call.id += event.id ?? '';
    call.name += event.name ?? '';
    call.argumentsJson += event.argumentsJson;
  }
  return calls;
}
