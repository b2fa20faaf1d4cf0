import { describe, expect, it } from 'vitest';
import { chatResultSchema } from '../../src/api/v1/chat/chat-schema.ts';
import { storedResponseSchema } from '../../src/api/v1/responses/stored-response-schema.ts';
import { endlessModel, placeEndlessModel } from '../setup/models/endless-model.ts';
import { get, post, postRaw } from '../setup/server/api.ts';
import { expectError } from '../setup/server/expect-error.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { withTokens } from '../setup/server/with-tokens.ts';

const hearth = useHearth(async (home) => {
  await placeEndlessModel(home);
});
const calm = { model: 'hearth/starter-chat', temperature: 0, reasoning: 'off' };

async function say(input: string, more: Record<string, unknown> = {}) {
  const { status, body } = await post(hearth.url, '/api/v1/chat', { ...calm, input, ...more });
  expect(status, JSON.stringify(body)).toBe(200);
  return withText(body);
}

function withText(body: unknown) {
  const { output, response_id: id = '', ...result } = chatResultSchema.parse(body);
  const texts = output.flatMap((item) => (item.type === 'message' ? item.content : []));
  return { ...result, output, id, text: texts.join('') };
}

const goOn = async (id: string, more: Record<string, unknown> = {}) =>
  post(hearth.url, `/api/v1/responses/${id}/continue`, { temperature: 0, ...more });
const stored = async (id: string) => {
  const { status, body } = await get(hearth.url, `/api/v1/responses/${id}`);
  expect(status).toBe(200);
  return storedResponseSchema.parse(body);
};

describe('an answer that is continued', () => {
  it('is the same as one that was never cut, and stands beside it', async () => {
    const whole = await say('What is the capital of France?', { system_prompt: 'Be kind.' });
    const cut = await say('What is the capital of France?', {
      system_prompt: 'Be kind.',
      max_output_tokens: 3,
    });
    expect(whole.text.startsWith(cut.text)).toBe(true);
    expect(cut.text.length).toBeLessThan(whole.text.length);
    const continued = withText((await goOn(cut.id)).body);
    expect(continued.text).toBe(whole.text);
    expect(continued.output).toHaveLength(1);
    const [one, other] = [await stored(cut.id), await stored(continued.id)];
    expect(other.input).toEqual(one.input);
    expect(other).toMatchObject({ previous_response_id: null, system_prompt: 'Be kind.' });
    expect(other.stats.stop_reason).toBe('eosFound');
    const { body: list } = await get(hearth.url, '/api/v1/conversations?limit=1');
    expect(list.conversations[0]).toMatchObject({
      response_count: 2,
      last_response_id: continued.id,
    });
  });

  it('repeats the answer so far in its events, also in the background', async () => {
    const first = await say('My name is Zorbek.');
    const cut = await say('What is my name?', {
      previous_response_id: first.id,
      max_output_tokens: 2,
    });
    const response = await postRaw(
      hearth.url,
      `/api/v1/responses/${cut.id}/continue`,
      JSON.stringify({ temperature: 0, stream: true, background: true }),
    );
    const events = [...(await response.text()).matchAll(/^data: (.*)$/gm)].map(
      ([, data = '']) => JSON.parse(data) as { type: string; content?: string; result?: unknown },
    );
    const text = events.flatMap(({ type, content = '' }) =>
      type === 'message.delta' ? content : [],
    );
    const { text: result, id } = withText(events.at(-1)?.result);
    expect(text.join('')).toBe(result);
    expect(text[0]).toBe(cut.text);
    expect(result).toBe('Your name is Zorbek.');
    expect((await stored(id)).previous_response_id).toBe(first.id);
  });

  it('keeps its reasoning, also one that was cut', async () => {
    const request = { reasoning: 'on', temperature: 0 };
    const whole = await say('What is 2 + 2?', request);
    const [reasoning] = whole.output;
    expect(reasoning?.type).toBe('reasoning');
    const cut = await say('What is 2 + 2?', { ...request, max_output_tokens: 3 });
    expect(cut.output.map(({ type }) => type)).toEqual(['reasoning']);
    const continued = withText((await goOn(cut.id)).body);
    expect(continued.output[0]).toEqual(reasoning);
    expect(continued.text).toBe(whole.text);
  });

  it('continues one that was interrupted, with another model', async () => {
    const cut = await say('Tell me a story.', {
      model: endlessModel,
      reasoning: undefined,
      max_output_tokens: 8,
    });
    const { body } = await goOn(cut.id, { model: 'hearth/starter-chat', max_output_tokens: 4 });
    expect(withText(body).text.startsWith(cut.text)).toBe(true);
    expect(body.model_instance_id).toMatch(/^hearth\/starter-chat/);
  });

  it('needs a response of the caller that ends with text', async () => {
    expectError(await goOn(`resp_${'0'.repeat(48)}`), {
      code: 'response_not_found',
      param: 'response_id',
      message: /No stored response/,
    });
    const { token } = await withTokens(hearth.home, (tokens) =>
      tokens.create({ name: 'notebook', permissions: ['chat'] }),
    );
    const headers = { authorization: `Bearer ${token}` };
    const own = await post(hearth.url, '/api/v1/chat', { ...calm, input: 'Hello!' }, { headers });
    expectError(await goOn(own.body.response_id), {
      code: 'response_not_found',
      param: 'response_id',
      message: /No stored response/,
    });
    const tide = { type: 'function', function: { name: 'get_tide', parameters: {} } };
    const call = await post(hearth.url, '/v1/responses', {
      model: calm.model,
      input: 'What is the tide?',
      tools: [{ type: 'function', ...tide.function }],
      tool_choice: 'required',
    });
    expectError(await goOn(call.body.id), {
      code: 'invalid_value',
      param: 'response_id',
      message: /does not end with text/,
    });
  });
});

describe('an answer that is changed', () => {
  const change = (id: string, output_text: string) =>
    get(hearth.url, `/api/v1/responses/${id}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ output_text }),
    });

  it('is what the model and the search read from then on', async () => {
    const first = await say('My name is Zorbek.');
    await say('What is my name?', { previous_response_id: first.id });
    const second = await say('Who are you?', { previous_response_id: first.id });
    const before = await say('Hello!', { previous_response_id: second.id });
    const { status, body } = await change(
      second.id,
      'I am a small and happy quokka of the island.',
    );
    expect(status, JSON.stringify(body)).toBe(200);
    expect(storedResponseSchema.parse(body)).toMatchObject({
      response_id: second.id,
      output: [{ type: 'message', content: 'I am a small and happy quokka of the island.' }],
    });
    expect(await stored(second.id)).toEqual(body);
    const after = await say('Hello!', { previous_response_id: second.id });
    expect(after.stats.input_tokens).not.toBe(before.stats.input_tokens);
    const found = await get(hearth.url, '/api/v1/conversations?search=quokka');
    expect(found.body.conversations).toHaveLength(1);
    expectError(await change(`resp_${'0'.repeat(48)}`, 'x'), {
      code: 'response_not_found',
      param: 'response_id',
      message: /No stored response/,
    });
  });

  it('keeps its reasoning', async () => {
    const { id, output } = await say('What is 2 + 2?', { reasoning: 'on' });
    await change(id, 'Five.');
    const [reasoning] = output;
    expect((await stored(id)).output).toEqual([reasoning, { type: 'message', content: 'Five.' }]);
  });
});

describe('a response that is deleted without its history', () => {
  const remove = (id: string, query = '?keep_history=false') =>
    get(hearth.url, `/api/v1/responses/${id}${query}`, { method: 'DELETE' });

  it('is unknown to the model in the responses that continued it', async () => {
    const first = await say('Hello!', { system_prompt: 'You are Bramble.' });
    const second = await say('My name is Zorbek.', { previous_response_id: first.id });
    const third = await say('Thank you.', { previous_response_id: second.id });
    expect((await remove(second.id)).status).toBe(200);
    expect((await stored(third.id)).previous_response_id).toBe(first.id);
    const reply = await say('What is my name?', { previous_response_id: third.id });
    expect(reply.text).not.toContain('Zorbek');
    const conversation = `/api/v1/conversations/conv_${first.id.slice('resp_'.length)}`;
    const tree = async () => {
      const { body } = await get(hearth.url, conversation);
      return body.responses.map((node: Record<string, unknown>) => [
        node['response_id'],
        node['previous_response_id'],
      ]);
    };
    expect(await tree()).toEqual([
      [first.id, null],
      [third.id, first.id],
      [reply.id, third.id],
    ]);
    await remove(first.id);
    expect(await stored(third.id)).toMatchObject({
      previous_response_id: null,
      system_prompt: 'You are Bramble.',
    });
    expect(await tree()).toEqual([
      [third.id, null],
      [reply.id, third.id],
    ]);
  });

  it('keeps its history without the parameter', async () => {
    const first = await say('My name is Zorbek.');
    const second = await say('Thank you.', { previous_response_id: first.id });
    expect((await remove(first.id, '')).status).toBe(200);
    expect((await stored(second.id)).previous_response_id).toBe(first.id);
    const reply = await say('What is my name?', { previous_response_id: second.id });
    expect(reply.text).toContain('Zorbek');
  });
});
