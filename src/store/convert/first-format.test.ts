import { describe, expect, it } from 'vitest';
import { readFirstFormat } from './first-format.ts';

const provider = { type: 'ephemeralMcp', serverLabel: 'harbour' } as const;

describe('the format of Hearth 0.1.0', () => {
  const stats = {
    input_tokens: 20,
    total_output_tokens: 10,
    reasoning_output_tokens: 4,
    tokens_per_second: 5,
    time_to_first_token_seconds: 0.5,
  };
  const decode = (changes: object) =>
    readFirstFormat({ systemPrompt: null, input: [], output: [], stats, ...changes });
  const call = (more: object) => ({
    type: 'tool_call',
    tool: 'look',
    arguments: {},
    output: '[]',
    provider_info: { type: 'plugin', plugin_id: 'mcp/a' },
    ...more,
  });

  it('decodes input and statistics', () => {
    const image = { type: 'image', sha256: 'ab', mediaType: 'image/png' } as const;
    expect(decode({ input: [{ type: 'text', content: 'Hi' }, image] })).toEqual({
      systemPrompt: null,
      instructions: null,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }, image] }],
      items: [],
      stopReason: null,
      usage: { promptTokens: 20, cachedTokens: 0, completionTokens: 10, reasoningTokens: 4 },
      timings: { timeToFirstTokenSeconds: 0.5, generationSeconds: 2, tokensPerSecond: 5 },
    });
    const none = decode({ stats: { ...stats, tokens_per_second: 0, model_load_time_seconds: 3 } });
    expect(none.timings).toMatchObject({ generationSeconds: 0, loadTimeSeconds: 3 });
  });

  it('decodes calls with the name that the model used', () => {
    const reason = 'No.';
    const metadata = { type: 'invalid_name', tool_name: 'see' };
    const { items } = decode({
      output: [
        { type: 'message', content: 'Hi' },
        call({ round: 0, offered_name: 'a-look', output: '[{"type":"text","text":"x"}]' }),
        { type: 'invalid_tool_call', round: 0, offered_name: 'see', reason, metadata },
        {
          type: 'invalid_tool_call',
          round: 1,
          reason,
          metadata: {
            type: 'invalid_arguments',
            tool_name: 'look',
            arguments: { a: 1 },
            provider_info: { type: 'ephemeral_mcp', server_label: 'harbour' },
          },
        },
      ],
    });
    expect(items).toEqual([
      { type: 'message', text: 'Hi' },
      {
        type: 'toolCall',
        round: 0,
        exposedName: 'a-look',
        tool: 'look',
        provider: { type: 'plugin', pluginId: 'mcp/a' },
        arguments: {},
        result: [{ type: 'text', text: 'x' }],
        isError: false,
      },
      { type: 'invalidToolCall', round: 0, exposedName: 'see', cause: 'invalidName', reason },
      {
        type: 'invalidToolCall',
        round: 1,
        exposedName: 'look',
        cause: 'invalidArguments',
        reason,
        tool: 'look',
        provider,
        arguments: { a: 1 },
      },
    ]);
  });

  it('assigns calls without a number to a separate generation', () => {
    const rounds = (...numbers: (number | undefined)[]) =>
      decode({ output: numbers.map((round) => call({ round })) }).items.map(
        (item) => 'round' in item && item.round,
      );
    expect(rounds(0, 0, 1, undefined)).toEqual([0, 0, 1, 2]);
    expect(rounds(undefined, undefined)).toEqual([0, 0]);
  });

  it.each(['plain text', '{"type":"text"}', '[1]'])('keeps the output %s as text', (output) => {
    expect(decode({ output: [call({ output })] }).items).toMatchObject([
      { result: [{ type: 'text', text: output }] },
    ]);
  });
});
