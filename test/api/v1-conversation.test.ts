import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { chatResultSchema } from '../../src/api/v1/chat/chat-schema.ts';
import {
  storedResponsePageSchema,
  storedResponseSchema,
} from '../../src/api/v1/responses/stored-response-schema.ts';
import { endlessModel, placeEndlessModel } from '../setup/models/endless-model.ts';
import { get, post, postRaw } from '../setup/server/api.ts';
import { expectError } from '../setup/server/expect-error.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { withTokens } from '../setup/server/with-tokens.ts';

describe('a conversation kept on the server', () => {
  const hearth = useHearth(async (home) => {
    await placeEndlessModel(home);
  });

  const say = async (input: string, more: Record<string, unknown> = {}) => {
    const { status, body } = await post(hearth.url, '/api/v1/chat', {
      model: 'hearth/starter-chat',
      input,
      temperature: 0,
      reasoning: 'off',
      ...more,
    });
    expect(status, JSON.stringify(body)).toBe(200);
    const result = chatResultSchema.parse(body);
    const [message] = result.output;
    expect(message?.type).toBe('message');
    return { ...result, text: message?.type === 'message' ? message.content : '' };
  };

  // covers service-5, v1-chat-17, v1-chat-20, v1-chat-21
  it('remembers earlier turns, but not those of another branch', async () => {
    const first = await say('My name is Zorbek.');
    const second = await say('My favourite colour is green.', {
      previous_response_id: first.response_id,
    });
    const third = await say('What is my name?', { previous_response_id: second.response_id });
    expect(third.text).toBe('Your name is Zorbek.');

    const branch = await say('What is my favourite colour?', {
      previous_response_id: first.response_id,
    });
    expect(branch.text).toBe("I don't know your favourite colour.");
    const trunk = await say('What is my favourite colour?', {
      previous_response_id: second.response_id,
    });
    expect(trunk.text).toContain('green');
    const ids = [first, second, third, branch, trunk].map(({ response_id: id }) => id);
    expect(new Set(ids).size).toBe(5);
  });

  // covers v1-stored-6
  it('continues after the server was killed', async () => {
    const first = await say('My name is Quinta.');
    await hearth.kill();
    await hearth.restart();
    const second = await say('What is my name?', { previous_response_id: first.response_id });
    expect(second.text).toBe('Your name is Quinta.');
  });

  // covers v1-chat-18
  it('stores nothing if store is false, and still continues a stored response', async () => {
    const first = await say('My name is Mirko.');
    const before = await get(hearth.url, '/api/v1/responses');
    const second = await say('What is my name?', {
      previous_response_id: first.response_id,
      store: false,
    });
    expect(second.text).toBe('Your name is Mirko.');
    expect(second.response_id).toBeUndefined();
    const after = await get(hearth.url, '/api/v1/responses');
    expect(after.body).toEqual(before.body);
  });

  // covers v1-chat-5, v1-chat-27
  it('keeps the system prompt until a later turn replaces it', async () => {
    const first = await say('Who are you?', { system_prompt: 'You are Bramble.' });
    expect(first.text).toContain('Bramble');
    const second = await say('Who are you?', { previous_response_id: first.response_id });
    expect(second.text).toContain('Bramble');
    const third = await say('Who are you?', {
      previous_response_id: first.response_id,
      system_prompt: 'You are Thistle.',
    });
    expect(third.text).toContain('Thistle');
  });

  // covers v1-chat-23
  it('takes null for every optional field as absent', async () => {
    const first = await say('Hello!', {
      system_prompt: null,
      integrations: null,
      stream: null,
      top_p: null,
      top_k: null,
      min_p: null,
      repeat_penalty: null,
      max_output_tokens: null,
      context_length: null,
      store: null,
      previous_response_id: null,
    });
    expect(first.response_id).toMatch(/^resp_/);
    const none = { allowed_tools: null, headers: null };
    const ephemeral = { type: 'ephemeral_mcp', server_label: 'a', server_url: 'http://a.test/' };
    for (const integration of [
      { ...ephemeral, ...none },
      { type: 'plugin', id: 'mcp/a', allowed_tools: null },
    ]) {
      const request = {
        model: 'hearth/starter-chat',
        input: 'Hi',
        reasoning: null,
        integrations: [integration],
      };
      expect((await post(hearth.url, '/api/v1/chat', request)).status).toBe(403);
    }
  });

  // covers v1-chat-33
  it('answers in JSON of a schema, and names the schema of which it cannot', async () => {
    const schema = {
      type: 'object',
      properties: { colour: { enum: ['red', 'green'] }, count: { enum: [1, 2] } },
      required: ['colour', 'count'],
      additionalProperties: false,
    };
    const { text } = await say('Name a colour.', {
      response_format: { type: 'json_schema', schema },
    });
    expect(JSON.parse(text)).toEqual({
      colour: expect.stringMatching(/^(red|green)$/) as string,
      count: expect.any(Number) as number,
    });
    const request = { model: 'hearth/starter-chat', input: 'Hi' };
    const impossible = { type: 'string', minLength: 5, maxLength: 2 };
    const format = {
      type: 'json_schema',
      schema: { type: 'object', properties: { a: impossible }, required: ['a'] },
    };
    expectError(await post(hearth.url, '/api/v1/chat', { ...request, response_format: format }), {
      code: 'invalid_value',
      param: 'response_format.schema',
      message: /cannot enforce the schema: at `#\//,
    });
  });

  // covers v1-chat-16
  it('uses the loaded instance without context_length, whatever its context is', async () => {
    const small = await say('Hello!', { context_length: 1024 });
    expect(small.stats.model_load_time_seconds).toBeGreaterThan(0);
    const second = await say('Hello!');
    expect(second.model_instance_id).toBe(small.model_instance_id);
    const third = await say('Hello!', { context_length: 1024 });
    for (const { stats } of [second, third]) {
      expect(stats.model_load_time_seconds).toBeUndefined();
    }
  });

  // covers v1-chat-28
  it('continues a response without an owner with any token, but not the reverse', async () => {
    const token = await withTokens(hearth.home, (tokens) =>
      tokens.create({ name: 'notebook', permissions: ['chat'] }),
    );
    const headers = { authorization: `Bearer ${token.token}` };
    const anonymous = await say('My name is Tamsin.');
    const answer = await post(
      hearth.url,
      '/api/v1/chat',
      {
        model: 'hearth/starter-chat',
        input: 'What is my name?',
        temperature: 0,
        reasoning: 'off',
        previous_response_id: anonymous.response_id,
      },
      { headers },
    );
    expect(answer.body.output).toEqual([{ type: 'message', content: 'Your name is Tamsin.' }]);
    const ofAnonymous = `/api/v1/responses/${anonymous.response_id}`;
    expect((await get(hearth.url, ofAnonymous, { headers })).status).toBe(200);
    const ofToken = `/api/v1/responses/${answer.body.response_id}`;
    expect((await get(hearth.url, ofToken, { headers })).status).toBe(200);
    expect((await get(hearth.url, ofToken)).status).toBe(404);
  });

  // covers v1-chat-12, v1-output-13
  it('tells the speed of an answer of one token by the time that it took', async () => {
    const { stats } = await say('Hello!', { max_output_tokens: 1 });
    expect(stats.total_output_tokens).toBe(1);
    expect(stats.tokens_per_second).toBeGreaterThan(0);
    expect(stats.tokens_per_second).toBeLessThanOrEqual(1 / stats.time_to_first_token_seconds);
  });

  // covers v1-chat-32
  it('stores the output of an interrupted turn, with its statistics, and continues from it', async () => {
    const request = { model: endlessModel, input: 'Tell me a story.', stream: true };
    const response = await postRaw(hearth.url, '/api/v1/chat', JSON.stringify(request));
    let text = '';
    for await (const chunk of response.body ?? []) {
      const hadText = text.includes('message.delta');
      text += Buffer.from(chunk).toString();
      if (hadText || !text.includes('message.delta')) continue;
      await post(hearth.url, '/api/v1/models/unload', { instance_id: endlessModel });
    }
    const end: unknown = JSON.parse(/\{"type":"chat.end".*\}/.exec(text)?.[0] ?? '');
    const { result } = z.object({ result: chatResultSchema }).parse(end);
    expect(text).toContain('"code":"unloaded"');
    expect(result.stats.total_output_tokens).toBeGreaterThan(0);
    expect(result.stats.input_tokens).toBeGreaterThan(0);
    const { body } = await get(hearth.url, `/api/v1/responses/${result.response_id}`);
    expect(storedResponseSchema.parse(body)).toMatchObject({
      interrupted: true,
      output: result.output,
      stats: result.stats,
    });
    const next = await say('What is it?', { previous_response_id: result.response_id });
    expect(next.text).not.toBe('');
  });

  // covers v1-chat-26
  it('changes the model between turns', async () => {
    const first = await say('My name is Orla.');
    const second = await say('What is my name?', {
      model: 'hearth/starter-vision',
      previous_response_id: first.response_id,
    });
    expect(second.model_instance_id).toBe('hearth/starter-vision');
    expect(second.stats.input_tokens).toBeGreaterThan(20);
  });

  // covers v1-stored-2, v1-stored-3, v1-stored-4
  it('returns, lists and deletes stored responses', async () => {
    const first = await say('My name is Ilse.');
    const second = await say('Thank you.', { previous_response_id: first.response_id });
    const shown = await get(hearth.url, `/api/v1/responses/${second.response_id}`);
    expect(storedResponseSchema.parse(shown.body)).toMatchObject({
      response_id: second.response_id,
      previous_response_id: first.response_id,
      model: 'hearth/starter-chat',
      input: [{ type: 'text', content: 'Thank you.' }],
      output: second.output,
      stats: {
        ...second.stats,
        cached_input_tokens: expect.any(Number) as number,
        stop_reason: 'eosFound',
      },
    });

    const page = storedResponsePageSchema.parse(
      (await get(hearth.url, '/api/v1/responses?limit=1')).body,
    );
    expect(page.responses.map(({ response_id: id }) => id)).toEqual([second.response_id]);
    const next = await get(hearth.url, `/api/v1/responses?limit=1&after=${page.next_cursor}`);
    expect(next.body.responses[0].response_id).toBe(first.response_id);

    const deleted = await get(hearth.url, `/api/v1/responses/${first.response_id}`, {
      method: 'DELETE',
    });
    expect(deleted.body).toEqual({ response_id: first.response_id, deleted: true });
    const gone = await get(hearth.url, `/api/v1/responses/${first.response_id}`);
    expect(gone).toMatchObject({ status: 404, body: { error: { type: 'response_not_found' } } });
    const third = await say('What is my name?', { previous_response_id: second.response_id });
    expect(third.text).toBe('Your name is Ilse.');
    const refused = await post(hearth.url, '/api/v1/chat', {
      model: 'hearth/starter-chat',
      input: 'Hello!',
      previous_response_id: first.response_id,
    });
    expect(refused).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_value', param: 'previous_response_id' } },
    });
  });
});
