import type { Anthropic } from '@anthropic-ai/sdk';
import { createParser } from 'eventsource-parser';
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { modelSelection } from '../../../test/setup/models/model-entry.ts';
import { toTypedModule } from '../../../test/setup/typed-module.ts';
import type { TurnEvent, TurnResult } from '../../chat/turn-event.ts';
import { HearthError } from '../../kernel/errors/errors.ts';
import {
  anthropicMessageSchema,
  messageEventSchema,
  type AnthropicMessageEvent,
} from './message-schema.ts';
import { MessageRecorder } from './message-events.ts';
import { signThinking, type ThinkingDisplay } from './thinking.ts';
import { toMessage } from './to-message.ts';

const { model, variant } = modelSelection();
const head = { id: 'msg_01i3gkjwthhw96whukek9tzq', model: 'test/model' };
const tide = {
  type: 'clientToolCall',
  round: 0,
  id: 'abc123def',
  name: 'get_tide',
  argumentsJson: '{"harbour":"Brest"}',
} as const;
const wind = {
  type: 'clientToolCall',
  round: 0,
  id: 'ghi456jkl',
  name: 'get_wind',
  argumentsJson: '',
} as const;

const result: TurnResult = {
  instanceId: 'test/model',
  selection: { model, variant },
  items: [
    { type: 'reasoning', text: 'The tide first.' },
    { type: 'message', text: 'I look.' },
    tide,
    wind,
  ],
  stopReason: 'toolCalls',
  isMalformed: false,
  usage: { promptTokens: 20, cachedTokens: 8, completionTokens: 9, reasoningTokens: 4 },
  timings: { timeToFirstTokenSeconds: 0.1, generationSeconds: 1, tokensPerSecond: 9 },
};

const start: readonly TurnEvent[] = [
  { type: 'turn.start', instanceId: 'test/model', selection: result.selection },
  { type: 'prompt.start' },
  { type: 'prompt.progress', processedTokens: 8, cachedTokens: 8, totalTokens: 20 },
  { type: 'prompt.progress', processedTokens: 20, cachedTokens: 8, totalTokens: 20 },
  { type: 'prompt.end' },
];
const events: readonly TurnEvent[] = [
  ...start,
  { type: 'reasoning.start' },
  { type: 'reasoning.delta', text: 'The tide ' },
  { type: 'reasoning.delta', text: 'first.' },
  { type: 'reasoning.end', text: 'The tide first.' },
  { type: 'message.start' },
  { type: 'message.delta', text: 'I ' },
  { type: 'message.delta', text: 'look.' },
  { type: 'message.end', text: 'I look.' },
  { type: 'toolCall.start', index: 0, exposedName: 'get_tide', isForClient: true },
  {
    type: 'toolCall.delta',
    index: 0,
    isForClient: true,
    id: tide.id,
    name: 'get_tide',
    argumentsJson: '{"harbour":',
  },
  { type: 'toolCall.delta', index: 0, isForClient: true, argumentsJson: '"Brest"}' },
  { type: 'toolCall.end', index: 0, item: tide },
  { type: 'toolCall.start', index: 1, exposedName: 'get_wind', isForClient: true },
  {
    type: 'toolCall.delta',
    index: 1,
    isForClient: true,
    id: wind.id,
    name: 'get_wind',
    argumentsJson: '',
  },
  { type: 'toolCall.end', index: 1, item: wind },
  { type: 'turn.end', result },
];

function record(
  source: readonly TurnEvent[],
  display: ThinkingDisplay = 'whole',
): readonly AnthropicMessageEvent[] {
  const recorder = new MessageRecorder(head, display);
  return source.flatMap((event) =>
    recorder.record(event).map((message) => messageEventSchema.parse(message)),
  );
}

const toLines = (recorded: readonly AnthropicMessageEvent[]): string =>
  recorded.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
const fixture = '../../../test/fixtures/anthropic-message-stream.sse';

describe('a stream of a message', () => {
  it('has the recorded events', async () => {
    const recorded = record(events);
    await expect(toLines(recorded)).toMatchFileSnapshot(fixture);
    const typed = toTypedModule(
      {
        type: 'SentMessageStreamEvent',
        from: './anthropic-sent-types.ts',
        recordedBy: '`streams.test.ts` of the Anthropic API',
      },
      recorded,
    );
    await expect(typed).toMatchFileSnapshot(fixture.replace('.sse', '.ts'));
  });

  it('gives the blocks of the whole message, as the client adds up its events', async () => {
    const text = await readFile(new URL(fixture, import.meta.url), 'utf8');
    const recorded: Anthropic.RawMessageStreamEvent[] = [];
    createParser({ onEvent: ({ data }) => recorded.push(JSON.parse(data)) }).feed(text);
    const blocks: Anthropic.ContentBlock[] = [];
    const inputs: string[] = [];
    for (const event of recorded) {
      if (event.type === 'content_block_start') blocks[event.index] = event.content_block;
      if (event.type !== 'content_block_delta') continue;
      const { index, delta } = event;
      const block = blocks[index];
      if (delta.type === 'text_delta' && block?.type === 'text') block.text += delta.text;
      if (block?.type === 'thinking') {
        if (delta.type === 'thinking_delta') block.thinking += delta.thinking;
        if (delta.type === 'signature_delta') block.signature = delta.signature;
      }
      if (delta.type === 'input_json_delta') {
        inputs[index] = (inputs[index] ?? '') + delta.partial_json;
      }
    }
    for (const [index, block] of blocks.entries()) {
      if (block.type === 'tool_use') block.input = JSON.parse(inputs[index] ?? '{}');
    }
    expect(blocks).toEqual(toMessage(result, head, 'whole').content);
  });

  it.each([
    ['none', []],
    ['omitted', ['thinking', 'signature_delta']],
    ['whole', ['thinking', 'thinking_delta', 'thinking_delta', 'signature_delta']],
  ] as const)('with thinking of display %s has %j', async (display, expected) => {
    const reasoned = events.slice(0, start.length + 4);
    const types = record([...reasoned, { type: 'turn.end', result }], display).flatMap((event) => {
      if (event.type === 'content_block_start') return [event.content_block.type];
      return event.type === 'content_block_delta' ? [event.delta.type] : [];
    });
    expect(types).toEqual(expected);
  });

  it('throws the error of a turn', async () => {
    const error = new HearthError('crashed', 'The engine exited.');
    expect(() => record([...start, { type: 'turn.error', error }])).toThrow(error);
  });

  it('starts and ends even where nothing was generated', async () => {
    const empty: TurnResult = { ...result, items: [], stopReason: 'maxPredictedTokensReached' };
    const recorded = record([{ type: 'turn.end', result: empty }]);
    expect(recorded.map(({ type }) => type)).toEqual([
      'message_start',
      'ping',
      'message_delta',
      'message_stop',
    ]);
    expect(recorded[0]).toMatchObject({
      message: { usage: { input_tokens: 12, cache_read_input_tokens: 8 } },
    });
    expect(recorded[2]).toMatchObject({
      delta: { stop_reason: 'max_tokens' },
      usage: { input_tokens: 12, cache_read_input_tokens: 8, output_tokens: 9 },
    });
  });

  it('shows no calls but those of the client', async () => {
    const recorded = record([
      ...start,
      { type: 'toolCall.start', index: 0, exposedName: 'get_tide', isForClient: false },
      {
        type: 'toolCall.delta',
        index: 0,
        isForClient: false,
        id: 'x',
        name: 'get_tide',
        argumentsJson: '{}',
      },
      { type: 'turn.end', result },
    ]);
    expect(recorded.some(({ type }) => type === 'content_block_start')).toBe(false);
  });
});

describe('a whole message', () => {
  it('has its blocks, its usage and the reason of its end', () => {
    const message = anthropicMessageSchema.parse(toMessage(result, head, 'whole'));
    expect(message.content).toEqual([
      {
        type: 'thinking',
        thinking: 'The tide first.',
        signature: signThinking('The tide first.'),
      },
      { type: 'text', text: 'I look.' },
      {
        type: 'tool_use',
        id: 'abc123def',
        name: 'get_tide',
        input: { harbour: 'Brest' },
        caller: { type: 'direct' },
      },
      {
        type: 'tool_use',
        id: 'ghi456jkl',
        name: 'get_wind',
        input: {},
        caller: { type: 'direct' },
      },
    ]);
    expect(message).toMatchObject({
      stop_reason: 'tool_use',
      usage: {
        input_tokens: 12,
        cache_read_input_tokens: 8,
        cache_creation_input_tokens: 0,
        output_tokens: 9,
        output_tokens_details: { thinking_tokens: 4 },
      },
    });
  });

  it.each([
    ['{"harbour": "Br', { unparsed: '{"harbour": "Br' }],
    ['["Brest"]', { unparsed: '["Brest"]' }],
    [' ', {}],
  ])('has an object for the arguments %s', (argumentsJson, input) => {
    const cut: TurnResult = { ...result, items: [{ ...tide, argumentsJson }] };
    expect(toMessage(cut, head, 'none').content).toMatchObject([{ input }]);
  });

  it.each([
    ['eosFound', 'end_turn'],
    ['maxPredictedTokensReached', 'max_tokens'],
    ['contextLengthReached', 'model_context_window_exceeded'],
    [null, 'end_turn'],
  ] as const)('that ended with %s has the reason %s', (stopReason, expected) => {
    const message = toMessage({ ...result, stopReason }, head, 'none');
    expect(message).toMatchObject({ stop_reason: expected, stop_sequence: null });
  });

  it('names the stop sequence', () => {
    const stopped: TurnResult = { ...result, stopReason: 'stopStringFound', stopString: 'END' };
    expect(toMessage(stopped, head, 'none')).toMatchObject({
      stop_reason: 'stop_sequence',
      stop_sequence: 'END',
    });
  });
});
