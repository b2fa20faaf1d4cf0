import { describe, expect, it, vi } from 'vitest';
import { modelSelection } from '../../../../test/setup/models/model-entry.ts';
import { toTypedModule } from '../../../../test/setup/typed-module.ts';
import type { TurnEvent, TurnResult } from '../../../chat/turn-event.ts';
import { HearthError } from '../../../kernel/errors/errors.ts';
import { openAiChatChunkSchema } from './chat-completion-schema.ts';
import { openAiResponseSchema } from '../responses/response-schema.ts';
import { createChatChunks, toChatCompletion } from './to-chat-completion.ts';
import { ResponseStream } from '../responses/response-stream.ts';
import { toInitialResponse } from '../responses/to-response.ts';

const { model, variant } = modelSelection();
const provider = { type: 'ephemeralMcp', serverLabel: 'adder' } as const;
const clientCall = {
  type: 'clientToolCall',
  round: 1,
  id: 'abc123def',
  name: 'get_tide',
  argumentsJson: '{"harbour":"Brest"}',
} as const;
const serverCall = {
  type: 'toolCall',
  round: 0,
  exposedName: 'add',
  tool: 'add',
  provider,
  arguments: { a: 2, b: 3 },
  result: [{ type: 'text', text: '5' }],
  isError: false,
} as const;
const unknownCall = {
  type: 'invalidToolCall',
  round: 0,
  exposedName: 'subtract',
  cause: 'invalidName',
  reason: 'There is no tool "subtract".',
} as const;
const logprob = { token: 'Five', logprob: -0.5, bytes: [70], topLogprobs: [] };

const result: TurnResult = {
  instanceId: 'test/model',
  selection: { model, variant },
  items: [
    { type: 'reasoning', text: 'Add, then look.' },
    serverCall,
    unknownCall,
    { type: 'message', text: 'Five.' },
    clientCall,
  ],
  stopReason: 'toolCalls',
  isMalformed: false,
  usage: { promptTokens: 20, cachedTokens: 8, completionTokens: 9, reasoningTokens: 4 },
  timings: { timeToFirstTokenSeconds: 0.1, generationSeconds: 1, tokensPerSecond: 9 },
};

const tool = { name: 'add', provider };
const events: readonly TurnEvent[] = [
  { type: 'turn.start', instanceId: 'test/model', selection: result.selection },
  { type: 'prompt.start' },
  { type: 'prompt.end' },
  { type: 'reasoning.start' },
  { type: 'reasoning.delta', text: 'Add, ' },
  { type: 'reasoning.delta', text: 'then look.' },
  { type: 'reasoning.end', text: 'Add, then look.' },
  { type: 'toolCall.start', index: 0, exposedName: 'add', tool, isForClient: false },
  {
    type: 'toolCall.delta',
    index: 0,
    isForClient: false,
    id: 'call00001',
    name: 'add',
    argumentsJson: '{"a": 2, "b": 3}',
  },
  { type: 'toolCall.arguments', index: 0, tool, arguments: { a: 2, b: 3 } },
  { type: 'toolCall.start', index: 1, exposedName: 'subtract', isForClient: false },
  { type: 'toolCall.success', index: 0, item: serverCall },
  { type: 'toolCall.failure', index: 1, item: unknownCall },
  { type: 'message.start' },
  { type: 'message.delta', text: 'Five', logprobs: [logprob] },
  { type: 'message.delta', text: '.' },
  { type: 'message.end', text: 'Five.' },
  { type: 'toolCall.start', index: 2, exposedName: 'get_tide', isForClient: true },
  {
    type: 'toolCall.delta',
    index: 2,
    isForClient: true,
    id: clientCall.id,
    name: 'get_tide',
    argumentsJson: '{"harbour":',
  },
  { type: 'toolCall.delta', index: 2, isForClient: true, argumentsJson: '"Brest"}' },
  { type: 'toolCall.end', index: 2, item: clientCall },
  { type: 'turn.end', result },
];

const request = {
  type: 'approvalRequest',
  round: 0,
  id: `mcpr_${'0'.repeat(48)}_0`,
  exposedName: 'add',
  tool: 'add',
  provider,
  arguments: { a: 2, b: 3 },
} as const;
const tools = [
  { name: 'add', parameters: { type: 'object' }, annotations: { readOnlyHint: true } },
];
const invalidCall = {
  type: 'invalidToolCall',
  round: 0,
  exposedName: 'add',
  cause: 'invalidArguments',
  reason: 'No numbers.',
  tool: 'add',
  provider,
  arguments: {},
} as const;
/** Lists tools, makes an approved call, asks for another one, and makes one with invalid arguments. */
const approvalEvents: readonly TurnEvent[] = [
  { type: 'toolList.start', provider },
  { type: 'toolList.end', item: { type: 'toolList', provider, tools } },
  {
    type: 'toolCall.start',
    index: 0,
    exposedName: 'add',
    tool,
    isForClient: false,
    approvalRequestId: 'mcpr_1',
  },
  { type: 'toolCall.arguments', index: 0, tool, arguments: { a: 2, b: 3 } },
  { type: 'toolCall.success', index: 0, item: { ...serverCall, approvalRequestId: 'mcpr_1' } },
  {
    type: 'toolCall.start',
    index: 1,
    exposedName: 'add',
    tool,
    isForClient: false,
    needsApproval: true,
  },
  {
    type: 'toolCall.delta',
    index: 1,
    isForClient: false,
    id: 'b',
    name: 'add',
    argumentsJson: '{"a": 2',
  },
  { type: 'toolCall.approval', index: 1, item: request },
  {
    type: 'toolCall.start',
    index: 2,
    exposedName: 'add',
    tool,
    isForClient: false,
    needsApproval: true,
  },
  { type: 'toolCall.failure', index: 2, item: invalidCall },
  { type: 'turn.end', result },
];

const responseId = `resp_${'0'.repeat(48)}`;

function recordResponse(source: readonly TurnEvent[]) {
  vi.useFakeTimers({ now: 1_793_612_345_000 });
  try {
    const initial = toInitialResponse(responseId, 'test/model', {
      model: 'test/model',
      input: 'Hi',
    });
    const stream = new ResponseStream(initial);
    return [...stream.begin(), ...source.flatMap((event) => stream.record(event))];
  } finally {
    vi.useRealTimers();
  }
}

const toLines = (messages: readonly { readonly type?: string }[]): string =>
  messages
    .map(({ type, ...rest }) => {
      const data = type === undefined ? rest : { type, ...rest };
      return `${type === undefined ? '' : `event: ${type}\n`}data: ${JSON.stringify(data)}\n\n`;
    })
    .join('');

const openAiModule = (type: string, recorded: readonly unknown[]): string =>
  toTypedModule(
    {
      type: `Sent${type}`,
      from: './openai-sent-types.ts',
      recordedBy: '`streams.test.ts` of the OpenAI api',
    },
    recorded,
  );

const head = {
  id: 'chatcmpl-i3gkjwthhw96whukek9tz',
  object: 'chat.completion.chunk',
  created: 1_793_612_345,
  model: 'test/model',
} as const;

function recordChunks(source: readonly TurnEvent[], includesUsage = false) {
  const toChunks = createChatChunks({ head, count: 1, includesUsage });
  return source.flatMap((event) => toChunks({ index: 0, event }));
}

describe('a stream of a response', () => {
  it('has the recorded events', async () => {
    const recorded = recordResponse(events);
    const last = recorded.at(-1);
    if (last?.type !== 'response.completed') throw new Error(`It ended with ${last?.type}`);
    openAiResponseSchema.parse(last.response);
    expect(last.response.output.map(({ type }) => type)).toEqual([
      'reasoning',
      'mcp_call',
      'mcp_call',
      'message',
      'function_call',
    ]);
    await expect(toLines(recorded)).toMatchFileSnapshot(
      '../../../../test/fixtures/openai-response-stream.sse',
    );
    const numbered = recorded.map((event, index) => ({ ...event, sequence_number: index }));
    await expect(openAiModule('ResponseStreamEvent', numbered)).toMatchFileSnapshot(
      '../../../../test/fixtures/openai-response-stream.ts',
    );
  });

  it('has the recorded events of lists and approvals', async () => {
    const recorded = recordResponse(approvalEvents);
    const last = recorded.at(-1);
    if (last?.type !== 'response.completed') throw new Error(`It ended with ${last?.type}`);
    openAiResponseSchema.parse(last.response);
    expect(last.response.output).toMatchObject([
      { id: `mcpl_${'0'.repeat(48)}_0`, type: 'mcp_list_tools', tools: [{ name: 'add' }] },
      { type: 'mcp_call', approval_request_id: 'mcpr_1', output: '5' },
      { type: 'mcp_approval_request', id: request.id, arguments: '{"a":2,"b":3}' },
      { type: 'mcp_call', status: 'failed', error: 'No numbers.' },
    ]);
    const numbered = recorded.map((event, index) => ({ ...event, sequence_number: index }));
    await expect(openAiModule('ResponseStreamEvent', numbered)).toMatchFileSnapshot(
      '../../../../test/fixtures/openai-approval-stream.ts',
    );
  });

  it('reports a server whose tools cannot be listed', () => {
    const error = new HearthError('mcp_unreachable', 'The tool server "adder" cannot be used.');
    const recorded = recordResponse([
      { type: 'toolList.start', provider },
      { type: 'toolList.failure', provider, error },
      { type: 'turn.error', error },
      { type: 'turn.end', result: { ...result, items: [], stopReason: null } },
    ]);
    expect(recorded.slice(2).map(({ type }) => type)).toEqual([
      'response.output_item.added',
      'response.mcp_list_tools.in_progress',
      'response.mcp_list_tools.failed',
      'response.output_item.done',
      'response.failed',
    ]);
    expect(recorded.at(-1)).toMatchObject({
      response: { output: [{ type: 'mcp_list_tools', tools: [], error: error.message }] },
    });
  });

  it('reports a failure', () => {
    const error = new HearthError('crashed', 'The engine exited.');
    const failed: TurnResult = { ...result, items: [], stopReason: null };
    const recorded = recordResponse([
      { type: 'turn.error', error },
      { type: 'turn.end', result: failed },
    ]);
    expect(recorded.at(-1)).toMatchObject({
      type: 'response.failed',
      response: {
        status: 'failed',
        completed_at: null,
        error: { code: 'server_error', message: 'The engine exited.' },
      },
    });
  });

  it.each(['maxPredictedTokensReached', 'contextLengthReached'] as const)(
    'is incomplete with %s',
    (stopReason) => {
      const recorded = recordResponse([{ type: 'turn.end', result: { ...result, stopReason } }]);
      expect(recorded.at(-1)).toMatchObject({
        type: 'response.incomplete',
        response: { incomplete_details: { reason: 'max_output_tokens' } },
      });
    },
  );
});

describe('a stream of a chat completion', () => {
  it('has the recorded chunks', async () => {
    const chunks = recordChunks(events, true).map((chunk) => openAiChatChunkSchema.parse(chunk));
    await expect(toLines(chunks as unknown as { type?: string }[])).toMatchFileSnapshot(
      '../../../../test/fixtures/openai-chat-stream.sse',
    );
    await expect(openAiModule('ChatCompletionChunk', chunks)).toMatchFileSnapshot(
      '../../../../test/fixtures/openai-chat-stream.ts',
    );
  });

  it('throws the error of a turn', () => {
    const error = new HearthError('crashed', 'The engine exited.');
    expect(() => recordChunks([{ type: 'turn.error', error }])).toThrow(error);
  });

  it('says the role even where nothing was generated', () => {
    const chunks = recordChunks([{ type: 'turn.end', result: { ...result, items: [] } }]);
    expect(chunks.map(({ choices: [choice] }) => choice?.delta)).toEqual([
      { role: 'assistant', content: '' },
      {},
    ]);
  });
});

it('has the usage of all choices once, after the choice that ends last', () => {
  const toChunks = createChatChunks({ head, count: 2, includesUsage: true });
  const end = { type: 'turn.end', result } as const;
  const [later, earlier] = [1, 0].map((index) => toChunks({ index, event: end }));
  expect(later?.every(({ usage }) => usage === null)).toBe(true);
  expect(earlier?.at(-1)?.usage).toMatchObject({ prompt_tokens: 20, completion_tokens: 18 });
});

describe('a whole chat completion', () => {
  it('has its texts, calls and the usage of all choices', () => {
    const whole = toChatCompletion([result, result], { ...head, object: 'chat.completion' });
    expect(whole.choices[1]).toEqual({
      index: 1,
      message: {
        role: 'assistant',
        content: 'Five.',
        refusal: null,
        reasoning_content: 'Add, then look.',
        tool_calls: [
          {
            id: 'abc123def',
            type: 'function',
            function: { name: 'get_tide', arguments: '{"harbour":"Brest"}' },
          },
        ],
      },
      logprobs: null,
      finish_reason: 'tool_calls',
    });
    expect(whole.usage).toEqual({
      prompt_tokens: 20,
      completion_tokens: 18,
      total_tokens: 38,
      prompt_tokens_details: { cached_tokens: 8 },
      completion_tokens_details: { reasoning_tokens: 8 },
    });
  });
});
