import { describe, expect, it } from 'vitest';
import { chatResultSchema } from '../../src/contract/v1/chat.ts';
import {
  storedResponsePageSchema,
  storedResponseSchema,
} from '../../src/contract/v1/stored-response.ts';
import { get, post } from '../setup/server/api.ts';
import { useHearth } from '../setup/server/use-hearth.ts';

describe('a conversation kept on the server', () => {
  const hearth = useHearth();

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

  it('continues after the server was killed', async () => {
    const first = await say('My name is Quinta.');
    await hearth.kill();
    await hearth.restart();
    const second = await say('What is my name?', { previous_response_id: first.response_id });
    expect(second.text).toBe('Your name is Quinta.');
  });

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

  it('changes the model between turns', async () => {
    const first = await say('My name is Orla.');
    const second = await say('What is my name?', {
      model: 'hearth/starter-vision',
      previous_response_id: first.response_id,
    });
    expect(second.model_instance_id).toBe('hearth/starter-vision');
    expect(second.stats.input_tokens).toBeGreaterThan(20);
  });

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
      stats: second.stats,
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
