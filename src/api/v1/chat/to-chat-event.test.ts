import { describe, expect, it } from 'vitest';
import { modelSelection } from '../../../../test/setup/models/model-entry.ts';
import { HearthError } from '../../../kernel/errors/errors.ts';
import { chatEventSchema } from './chat-event-schema.ts';
import { chatResultSchema } from './chat-schema.ts';
import type { TurnEvent, TurnResult } from '../../../chat/turn-event.ts';
import type { InvalidToolCallItem, ToolCallItem } from '../../../store/turns/turn-item.ts';
import { toChatEvent } from './to-chat-event.ts';
import { toChatResult } from './to-chat-result.ts';

const selection = modelSelection();
const instanceId = 'test/model:2';
const plugin = { type: 'plugin', pluginId: 'mcp/harbour' } as const;

const made: ToolCallItem = {
  type: 'toolCall',
  round: 0,
  exposedName: 'harbour-look',
  tool: 'look',
  provider: plugin,
  arguments: { at: 'sea' },
  result: [{ type: 'text', text: 'A "ship"' }],
  isError: false,
};
const invalid: InvalidToolCallItem = {
  type: 'invalidToolCall',
  round: 1,
  exposedName: 'harbour-look',
  cause: 'invalidArguments',
  reason: 'No.',
  tool: 'look',
  provider: { type: 'ephemeralMcp', serverLabel: 'there' },
  arguments: { at: 7 },
};
const unknown: InvalidToolCallItem = {
  type: 'invalidToolCall',
  round: 1,
  exposedName: 'see',
  cause: 'invalidName',
  reason: 'None.',
};
const forClient = { id: 'x', name: 'draw', argumentsJson: '{}' };

const result: TurnResult = {
  instanceId,
  selection,
  items: [
    { type: 'reasoning', text: 'Hm.' },
    made,
    invalid,
    unknown,
    { type: 'clientToolCall', round: 1, ...forClient },
    { type: 'message', text: 'Hi' },
  ],
  stopReason: 'eosFound',
  isMalformed: false,
  usage: { promptTokens: 9, cachedTokens: 4, completionTokens: 6, reasoningTokens: 2 },
  timings: { timeToFirstTokenSeconds: 0.1, generationSeconds: 2, tokensPerSecond: 3 },
};

const stats =
  '"stats":{"input_tokens":9,"total_output_tokens":6,"reasoning_output_tokens":2,"tokens_per_second":3,"time_to_first_token_seconds":0.1';
const output =
  '"output":[{"type":"reasoning","content":"Hm."},' +
  '{"type":"tool_call","tool":"look","arguments":{"at":"sea"},"output":"[{\\"type\\":\\"text\\",\\"text\\":\\"A \\\\\\"ship\\\\\\"\\"}]","provider_info":{"type":"plugin","plugin_id":"mcp/harbour"}},' +
  '{"type":"invalid_tool_call","reason":"No.","metadata":{"type":"invalid_arguments","tool_name":"look","arguments":{"at":7},"provider_info":{"type":"ephemeral_mcp","server_label":"there"}}},' +
  '{"type":"invalid_tool_call","reason":"None.","metadata":{"type":"invalid_name","tool_name":"see"}},' +
  '{"type":"message","content":"Hi"}]';

describe('the JSON of v1', () => {
  it.each<[TurnEvent, string]>([
    [
      { type: 'turn.start', instanceId, selection },
      '{"type":"chat.start","model_instance_id":"test/model:2"}',
    ],
    [
      { type: 'load.start', instanceId },
      '{"type":"model_load.start","model_instance_id":"test/model:2"}',
    ],
    [
      { type: 'load.progress', instanceId, fraction: 0.5 },
      '{"type":"model_load.progress","model_instance_id":"test/model:2","progress":0.5}',
    ],
    [
      { type: 'load.end', instanceId, loadTimeSeconds: 1.5 },
      '{"type":"model_load.end","model_instance_id":"test/model:2","load_time_seconds":1.5}',
    ],
    [{ type: 'queued', position: 3 }, '{"type":"queued","position":3}'],
    [{ type: 'prompt.start' }, '{"type":"prompt_processing.start"}'],
    [
      { type: 'prompt.progress', processedTokens: 3, cachedTokens: 1, totalTokens: 4 },
      '{"type":"prompt_processing.progress","progress":0.75}',
    ],
    [
      { type: 'prompt.progress', processedTokens: 1, cachedTokens: 0, totalTokens: 0 },
      '{"type":"prompt_processing.progress","progress":1}',
    ],
    [{ type: 'prompt.end' }, '{"type":"prompt_processing.end"}'],
    [{ type: 'reasoning.start' }, '{"type":"reasoning.start"}'],
    [{ type: 'reasoning.delta', text: 'Hm' }, '{"type":"reasoning.delta","content":"Hm"}'],
    [{ type: 'reasoning.end', text: 'Hm.' }, '{"type":"reasoning.end"}'],
    [{ type: 'message.start' }, '{"type":"message.start"}'],
    [
      { type: 'message.delta', text: 'Hi', logprobs: [] },
      '{"type":"message.delta","content":"Hi"}',
    ],
    [{ type: 'message.end', text: 'Hi' }, '{"type":"message.end"}'],
    [
      {
        type: 'toolCall.start',
        index: 0,
        exposedName: 'harbour-look',
        tool: { name: 'look', provider: plugin },
        isForClient: false,
      },
      '{"type":"tool_call.start","tool":"look","provider_info":{"type":"plugin","plugin_id":"mcp/harbour"}}',
    ],
    [
      {
        type: 'toolCall.arguments',
        index: 0,
        tool: { name: 'look', provider: plugin },
        arguments: { at: 'sea' },
      },
      '{"type":"tool_call.arguments","tool":"look","arguments":{"at":"sea"},"provider_info":{"type":"plugin","plugin_id":"mcp/harbour"}}',
    ],
    [
      { type: 'toolCall.success', index: 0, item: made },
      '{"type":"tool_call.success","tool":"look","arguments":{"at":"sea"},"output":"[{\\"type\\":\\"text\\",\\"text\\":\\"A \\\\\\"ship\\\\\\"\\"}]","provider_info":{"type":"plugin","plugin_id":"mcp/harbour"}}',
    ],
    [
      { type: 'toolCall.failure', index: 1, item: invalid },
      '{"type":"tool_call.failure","reason":"No.","metadata":{"type":"invalid_arguments","tool_name":"look","provider_info":{"type":"ephemeral_mcp","server_label":"there"},"arguments":{"at":7}}}',
    ],
    [
      { type: 'toolCall.failure', index: 1, item: unknown },
      '{"type":"tool_call.failure","reason":"None.","metadata":{"type":"invalid_name","tool_name":"see"}}',
    ],
    [
      {
        type: 'turn.error',
        error: new HearthError('invalid_value', (name) => `${name('isStored')}!`, {
          field: 'messages[0].content[2]',
        }),
      },
      '{"type":"error","error":{"type":"invalid_request","message":"store!","code":"invalid_value","param":"input[2].data_url"}}',
    ],
    [
      { type: 'turn.end', result },
      `{"type":"chat.end","result":{"model_instance_id":"test/model:2",${output},${stats}}}}`,
    ],
  ])('has the event %j', (event, json) => {
    const wire = toChatEvent(event);
    expect(JSON.stringify(wire)).toBe(json);
    expect(chatEventSchema.parse(wire)).toEqual(wire);
  });

  it.each<TurnEvent>([
    { type: 'toolCall.start', index: 0, exposedName: 'draw', isForClient: true },
    { type: 'toolCall.delta', index: 0, isForClient: false, argumentsJson: '{' },
    { type: 'toolCall.end', index: 0, item: { type: 'clientToolCall', round: 0, ...forClient } },
  ])('has no event for %j', (event) => {
    expect(toChatEvent(event)).toBeUndefined();
  });

  it('has the result with load time and response id where there are some', () => {
    const timings = { ...result.timings, loadTimeSeconds: 4 };
    const responseId = `resp_${'0'.repeat(48)}`;
    const wire = toChatResult({ ...result, timings, responseId });
    expect(JSON.stringify(wire)).toBe(
      `{"model_instance_id":"test/model:2",${output},${stats},"model_load_time_seconds":4},"response_id":"${responseId}"}`,
    );
    expect(chatResultSchema.parse(wire)).toEqual(wire);
  });
});
