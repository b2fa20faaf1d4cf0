import { describe, expect, it, vi } from 'vitest';
import { modelSelection } from '../../../../test/setup/models/model-entry.ts';
import { testContext } from '../../../../test/setup/test-context.ts';
import type { TurnEvent, TurnResult } from '../../../chat/turn-event.ts';
import { v0ChatResultSchema } from './chat-completion-schema.ts';
import { HearthError } from '../../../kernel/errors/errors.ts';
import { createChatChunks, toV0ChatResult } from './chat.ts';
import type { ChoiceEvent } from '../chat/choices.ts';
import { openStream } from '../../kit/stream/open-stream.ts';
import { toStreamFormat } from './report.ts';

const { model, variant } = modelSelection();
const logprob = { token: 'i', logprob: -1, bytes: [105], topLogprobs: [] };
const call = {
  type: 'clientToolCall',
  round: 0,
  id: 'x',
  name: 'draw',
  argumentsJson: '{}',
} as const;

const result: TurnResult = {
  instanceId: 'test/model:2',
  selection: { model, variant },
  capabilities: {
    runtimeName: 'scripted',
    runtimeVersion: '1',
    supportedFormats: ['gguf'],
    contextLength: 2048,
  },
  items: [
    { type: 'reasoning', text: 'Hm.' },
    { type: 'message', text: 'H' },
    { type: 'message', text: 'i' },
    call,
  ],
  stopReason: 'toolCalls',
  isMalformed: false,
  usage: { promptTokens: 9, cachedTokens: 4, completionTokens: 6, reasoningTokens: 2 },
  timings: { timeToFirstTokenSeconds: 0.1, generationSeconds: 2, tokensPerSecond: 3 },
  logprobs: [logprob],
};
const start: TurnEvent = {
  type: 'turn.start',
  instanceId: 'test/model:2',
  selection: { model, variant },
};
const piece = { type: 'toolCall.delta', index: 0, isForClient: true } as const;
const output: readonly TurnEvent[] = [
  start,
  { type: 'prompt.start' },
  { type: 'prompt.end' },
  { type: 'reasoning.start' },
  { type: 'reasoning.delta', text: 'Hm.' },
  { type: 'reasoning.end', text: 'Hm.' },
  { type: 'message.start' },
  { type: 'message.delta', text: 'Hi', logprobs: [logprob] },
  { type: 'message.end', text: 'Hi' },
  { type: 'toolCall.start', index: 0, exposedName: 'draw', isForClient: true },
  { ...piece, id: 'x', name: 'draw', argumentsJson: '{' },
  { ...piece, argumentsJson: '}' },
  { ...piece, isForClient: false, argumentsJson: 'of the server' },
  { type: 'toolCall.end', index: 0, item: call },
];

const report =
  '"usage":{"prompt_tokens":9,"completion_tokens":6,"total_tokens":15},' +
  '"stats":{"tokens_per_second":3,"time_to_first_token":0.1,"generation_time":2,"stop_reason":"toolCalls"},' +
  '"model_info":{"arch":"llama","quant":"Q8_0","format":"gguf","context_length":2048},' +
  '"runtime":{"name":"scripted","version":"1","supported_formats":["gguf"]}';

type Events = AsyncGenerator<ChoiceEvent<TurnEvent>>;

async function* iterate(events: readonly TurnEvent[]): Events {
  for (const event of events) yield { index: 0, event };
}

/** The data of the messages, without values that differ from run to run. */
async function read(events: Events) {
  const format = toStreamFormat(createChatChunks());
  const data: string[] = [];
  for await (const message of await openStream(events, format, testContext())) {
    data.push(
      message.data
        .replace(/"id":"chatcmpl-[a-z0-9]{21}"/, '"id":""')
        .replace(/"created":\d+/, '"created":0'),
    );
  }
  return data;
}

const chunk = (rest: string) =>
  `{"id":"","object":"chat.completion.chunk","created":0,"model":"test/model","choices":[{"index":0,"delta":${rest}}`;
const open = '"logprobs":null,"finish_reason":null}]';

describe('the chunks of a chat completion', () => {
  it('are the deltas, the finish reason with the statistics, [DONE]', async () => {
    expect(await read(iterate([...output, { type: 'turn.end', result }]))).toEqual([
      chunk(`{"role":"assistant","reasoning_content":"Hm."},${open}`),
      chunk(
        '{"content":"Hi"},"logprobs":{"content":[{"token":"i","logprob":-1,"bytes":[105],"top_logprobs":[]}]},"finish_reason":null}]',
      ),
      chunk(
        `{"tool_calls":[{"index":0,"id":"x","type":"function","function":{"name":"draw","arguments":"{"}}]},${open}`,
      ),
      chunk(`{"tool_calls":[{"index":0,"function":{"arguments":"}"}}]},${open}`),
      chunk(`{},"logprobs":null,"finish_reason":"tool_calls"}],${report}`),
      '[DONE]',
    ]);
  });

  // covers v0-chat-31
  it('end with the error of a turn that fails after its first output', async () => {
    const error = new HearthError('crashed', 'It stopped.');
    const failing = [...output.slice(0, 5), { type: 'turn.error', error } as const];
    const data = await read(iterate([...failing, { type: 'turn.end', result }]));
    expect(data.slice(1)).toEqual([
      '{"error":{"message":"It stopped.","type":"engine_crashed","param":null,"code":"crashed"}}',
      '[DONE]',
    ]);
  });

  it('are replaced by the error of a turn that fails before, and the turn ends', async () => {
    const error = new HearthError('crashed', 'It stopped.');
    const ended = vi.fn<() => void>();
    async function* failing(): Events {
      try {
        yield* iterate([start, { type: 'turn.error', error }, { type: 'turn.end', result }]);
      } finally {
        ended();
      }
    }
    await expect(read(failing())).rejects.toBe(error);
    expect(ended).toHaveBeenCalledOnce();
  });
});

it('gathers a whole chat completion', () => {
  const wire = toV0ChatResult(result);
  const { id: _id, created: _created, ...rest } = wire;
  expect(JSON.stringify(rest)).toBe(
    '{"object":"chat.completion","model":"test/model","choices":[{"index":0,' +
      '"logprobs":{"content":[{"token":"i","logprob":-1,"bytes":[105],"top_logprobs":[]}]},"finish_reason":"tool_calls",' +
      '"message":{"role":"assistant","content":"Hi","reasoning_content":"Hm.",' +
      `"tool_calls":[{"id":"x","type":"function","function":{"name":"draw","arguments":"{}"}}]}}],${report}}`,
  );
  expect(v0ChatResultSchema.parse(wire)).toEqual(wire);
  const failed = toV0ChatResult({ ...result, isMalformed: true, items: [] });
  expect(failed.stats.stop_reason).toBe('failed');
  expect(failed.choices[0]?.message).toEqual({ role: 'assistant', content: '' });
});
