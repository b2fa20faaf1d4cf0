import { expect, it } from 'vitest';
import { get, post } from '../setup/server/api.ts';
import { endlessModel, placeEndlessModel } from '../setup/models/endless-model.ts';
import { expectError, expectErrorFields } from '../setup/server/expect-error.ts';
import { openStream } from '../setup/server/live-stream.ts';
import { useHearth } from '../setup/server/use-hearth.ts';

const hearth = useHearth(async (home) => {
  await placeEndlessModel(home);
});

const chat = (body: Record<string, unknown>) =>
  post(hearth.url, '/api/v1/chat', {
    model: 'hearth/starter-chat',
    input: 'Hello!',
    reasoning: 'off',
    ...body,
  });
const storedId = async () => String((await chat({})).body.response_id);
const remove = (id: string) => get(hearth.url, `/api/v1/responses/${id}`, { method: 'DELETE' });
const zeros = '0'.repeat(48);

// covers v1-chat-19
it.each([
  [
    'of something else',
    'chatcmpl-123',
    'must be a text that starts with "resp_", not "chatcmpl-123"',
  ],
  ['empty', '', 'must be a text that starts with "resp_", not ""'],
  ['in capitals', `RESP_${zeros}`, 'must be a text that starts with "resp_"'],
  ['too long', `resp_${'0'.repeat(508)}`, 'must be at most 512 characters long'],
  ['that was never given out', `resp_${zeros}`, `"resp_${zeros}" is not stored`],
  ['of another form', "resp_' or 1=1 --", `"resp_' or 1=1 --" is not stored`],
  ['with a NUL', 'resp_\u0000', 'is not stored'],
])('rejects an id %s', async (_, id, message) => {
  for (const stream of [false, true]) {
    const answer = await chat({ previous_response_id: id, stream });
    expectError(answer, { code: 'invalid_value', param: 'previous_response_id', message });
  }
});

it('rejects an id that is not a string', async () => {
  const answer = await chat({ previous_response_id: 5 });
  expectError(answer, { code: 'invalid_type', param: 'previous_response_id', message: 'not 5' });
});

// covers v1-stored-4
it('rejects a deleted response, with or without descendants', async () => {
  const ids = [await storedId(), await storedId()] as const;
  const continued = await chat({ previous_response_id: ids[0] });
  for (const id of ids) {
    expect((await remove(id)).status).toBe(200);
    expectError(await chat({ previous_response_id: id }), {
      code: 'invalid_value',
      param: 'previous_response_id',
      message: `"${id}" is not stored. It may have been deleted`,
    });
  }
  expect((await chat({ previous_response_id: continued.body.response_id })).status).toBe(200);
});

it('reports a response that is deleted while it is continued', async () => {
  const id = await storedId();
  const running = await openStream(hearth.url, '/api/v1/chat', {
    model: endlessModel,
    input: 'Tell me a story',
    temperature: 0,
    previous_response_id: id,
    max_output_tokens: 400,
  });
  await running.until('.delta');
  expect((await remove(id)).status).toBe(200);
  const events = await running.rest();
  expect(events.slice(-2).map(({ event }) => event)).toEqual(['error', 'chat.end']);
  expectErrorFields(JSON.parse(events.at(-2)?.data ?? '').error, {
    code: 'invalid_value',
    param: 'previous_response_id',
    message: `"${id}" is not stored`,
  });
  const { result } = JSON.parse(events.at(-1)?.data ?? '');
  expect(result.output[0].content).not.toBe('');
  expect(result).not.toHaveProperty('response_id');
});
