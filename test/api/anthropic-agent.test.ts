import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import {
  anthropicMessageSchema,
  messageEventSchema,
} from '../../src/api/anthropic/message-schema.ts';
import { get, post, stream } from '../setup/server/api.ts';
import { useHearth } from '../setup/server/use-hearth.ts';

/**
 * Replays the start of a coding agent. The fixture has the order, the headers, the betas and the shapes of the requests of
 * Claude Code 2.1, with shorter texts of our own.
 */

interface Recording {
  readonly headers: Readonly<Record<string, string>>;
  readonly requests: readonly {
    readonly name: string;
    readonly method: 'GET' | 'POST' | 'HEAD';
    readonly path: string;
    readonly body?: Readonly<Record<string, unknown>>;
  }[];
}

const recording = JSON.parse(
  await readFile(new URL('../fixtures/anthropic-agent-start.json', import.meta.url), 'utf8'),
) as Recording;
const hearth = useHearth({
  flags: ['--engine-context-length=16384', '--models-aliases={"claude-*": "hearth/starter-chat"}'],
});

const { headers } = recording;
const bodyOf = (name: string): Record<string, unknown> => {
  const found = recording.requests.find((request) => request.name === name);
  if (found?.body === undefined) throw new Error(`No recorded body ${name}`);
  return { ...found.body };
};
const sum = (usage: { input_tokens: number; cache_read_input_tokens: number }): number =>
  usage.input_tokens + usage.cache_read_input_tokens;

describe('the start of a coding agent', () => {
  it.each(recording.requests.filter(({ body }) => body?.['stream'] !== true))(
    '$name is answered',
    async ({ method, path, body }) => {
      const init = { method, headers };
      const answer = await (body === undefined
        ? get(hearth.url, path, init)
        : post(hearth.url, path, body, init));
      expect([answer.status, answer.body.error]).toEqual([200, undefined]);
    },
  );

  it.each(recording.requests.filter(({ body }) => body?.['stream'] === true))(
    '$name is streamed',
    async ({ path, body = {} }) => {
      const events = await stream(hearth.url, path, body, { headers });
      const types = events.map(({ data }) => messageEventSchema.parse(JSON.parse(data)).type);
      expect(types.at(0)).toBe('message_start');
      expect(types.at(-1)).toBe('message_stop');
    },
  );

  it('has most of its prompt in the cache from the second turn on, although its billing block differs', async () => {
    const turn = bodyOf('the first turn');
    const [billing, ...instructions] = turn['system'] as { readonly text: string }[];
    expect(billing?.text).toContain('x-anthropic-billing-header');
    const path = '/v1/messages?beta=true';
    const send = async (cch: string) => {
      const system = [
        { type: 'text', text: `x-anthropic-billing-header: cc_version=2.1.9; cch=${cch};` },
        ...instructions,
      ];
      const answer = await post(hearth.url, path, { ...turn, system, stream: false }, { headers });
      return anthropicMessageSchema.parse(answer.body);
    };
    const first = await send('00001');
    const second = await send('00002');
    expect(sum(second.usage)).toBe(sum(first.usage));
    expect(second.usage.cache_read_input_tokens).toBeGreaterThan(sum(first.usage) * 0.9);
    expect(second.model).toBe(turn['model']);
    const { model, system, messages, tools, thinking } = turn;
    const counted = await post(
      hearth.url,
      '/v1/messages/count_tokens?beta=true',
      { model, system, messages, tools, thinking },
      { headers },
    );
    expect(counted.body.input_tokens).toBe(sum(first.usage));
  });

  it('works through a call of one of its tools', async () => {
    const turn = bodyOf('the first turn');
    const question = { role: 'user', content: [{ type: 'text', text: 'Get the tide of Brest' }] };
    const tools = [
      {
        name: 'get_tide',
        description: 'Tide of a harbour',
        input_schema: {
          type: 'object',
          properties: { harbour: { type: 'string' } },
          required: ['harbour'],
        },
      },
    ];
    const base = {
      ...turn,
      system: undefined,
      tools,
      thinking: undefined,
      temperature: 0,
      stream: false,
    };
    const called = await post(
      hearth.url,
      '/v1/messages?beta=true',
      { ...base, messages: [question] },
      { headers },
    );
    const call = called.body.content.find(({ type }: { type: string }) => type === 'tool_use');
    expect(called.body.stop_reason).toBe('tool_use');
    const answered = await post(
      hearth.url,
      '/v1/messages?beta=true',
      {
        ...base,
        messages: [
          question,
          { role: 'assistant', content: called.body.content },
          {
            role: 'user',
            content: [
              {
                type: 'tool_result',
                tool_use_id: call.id,
                content: '{"tide": "high"}',
                cache_control: { type: 'ephemeral' },
              },
            ],
          },
        ],
      },
      { headers },
    );
    expect(answered.body.content.at(-1).text).toContain('high');
  });
});
