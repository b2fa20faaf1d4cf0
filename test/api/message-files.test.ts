import Anthropic from '@anthropic-ai/sdk';
import OpenAI, { toFile } from 'openai';
import { expect, it } from 'vitest';
import { errorTable, type ErrorCode } from '../../src/kernel/errors/errors.ts';
import { docxOf, paragraph } from '../setup/documents/office-file.ts';
import { encryptedPdf, pdfOf } from '../setup/documents/pdf-file.ts';
import { get, post, type ApiAnswer } from '../setup/server/api.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { withTokens } from '../setup/server/with-tokens.ts';

const model = 'hearth/starter-chat';
let tokens: Readonly<Record<'own' | 'other', string>>;
const hearth = useHearth(async (home) => {
  tokens = await withTokens(home, async (service) => {
    const make = async () =>
      (await service.create({ name: 'test', permissions: ['chat', 'embeddings'] })).token;
    return { own: await make(), other: await make() };
  });
  return { flags: ['--auth-required'] };
});
const connect = (token: keyof typeof tokens = 'own') =>
  new OpenAI({ baseURL: `${hearth.url}/v1`, apiKey: tokens[token], maxRetries: 0 });
const send = (path: string, body: object) =>
  post(
    hearth.url,
    path,
    { model, ...body },
    { headers: { authorization: `Bearer ${tokens.own}` } },
  );

const pdf = pdfOf(['High water is at noon.', 'Low at six.']);
const text = '## Page 1\n\nHigh water is at noon.\n\n## Page 2\n\nLow at six.';
const part = (name: string, content = text) => `File ${name}:\n\n\`\`\`\n${content}\n\`\`\``;
const urlOf = (bytes: Buffer) => `data:application/pdf;base64,${bytes.toString('base64')}`;
const user = (content: object[]) => [{ role: 'user', content }];

async function upload(bytes: Buffer, client = connect()): Promise<string> {
  const file = await toFile(bytes, 'tides.pdf');
  return (await client.files.create({ file, purpose: 'user_data' })).id;
}

function expectFailure(
  { status, body: { error } }: ApiAnswer,
  { code, message, param }: { code: ErrorCode; message: string | RegExp; param: string },
): void {
  expect([status, error.code, error.param]).toEqual([errorTable[code].status, code, param]);
  expect(error.message).toMatch(message);
}

/** Texts of the user's message in a stored response. */
async function textsOf(responseId: string): Promise<readonly (string | undefined)[]> {
  const { body } = await get(hearth.url, `/v1/responses/${responseId}/input_items`, {
    headers: { authorization: `Bearer ${tokens.own}` },
  });
  return body.data[0].content.map((each: { text?: string }) => each.text);
}

it('reads the files of a chat completion', async () => {
  const fileId = await upload(pdf);
  const docx = docxOf(paragraph('Seine'));
  const answer = await connect().chat.completions.create({
    model,
    max_completion_tokens: 1,
    store: true,
    messages: [
      {
        role: 'user',
        content: [
          { type: 'file', file: { file_data: urlOf(pdf), filename: 'a b.pdf' } },
          { type: 'file', file: { file_data: docx.toString('base64') } },
          { type: 'file', file: { file_id: fileId } },
          { type: 'text', text: 'When?' },
        ],
      },
    ],
  });
  expect(await textsOf(answer.id.replace('chatcmpl-', 'resp_'))).toEqual([
    part('a b.pdf'),
    part('document', 'Seine'),
    part('tides.pdf'),
    'When?',
  ]);
  const { status } = await send('/api/v0/chat/completions', {
    max_tokens: 1,
    messages: user([{ type: 'file', file: { file_data: urlOf(pdf) } }]),
  });
  expect(status).toBe(200);
});

it('reads the files of a response and of a conversation', async () => {
  const content = [
    { type: 'input_file' as const, file_data: urlOf(pdf), filename: 'a.pdf' },
    { type: 'input_file' as const, file_id: await upload(pdf) },
    { type: 'input_text' as const, text: 'When?' },
  ];
  const input = [{ role: 'user' as const, content }];
  const expected = [part('a.pdf'), part('tides.pdf'), 'When?'];
  const response = await connect().responses.create({ model, max_output_tokens: 1, input });
  expect(await textsOf(response.id)).toEqual(expected);
  const { id } = await connect().conversations.create({ items: input });
  const { data } = await connect().conversations.items.list(id);
  expect(data).toMatchObject([{ content: expected.map((each) => ({ text: each })) }]);
});

it('reads the files of tool results', async () => {
  const output = [{ type: 'input_file', file_data: urlOf(pdf), filename: 'a.pdf' }];
  const { body } = await send('/v1/responses', {
    max_output_tokens: 1,
    input: [
      { role: 'user', content: 'Read it.' },
      { type: 'function_call', call_id: 'a', name: 'read', arguments: '{}' },
      { type: 'function_call_output', call_id: 'a', output },
    ],
  });
  expect(body.status).toMatch(/completed|incomplete/);
});

it('reads the documents of Anthropic messages', async () => {
  const client = new Anthropic({ baseURL: hearth.url, apiKey: tokens.own, maxRetries: 0 });
  const count = async (source: object) => {
    const content = [{ type: 'document', title: 'a', source }];
    const params = { model, messages: [{ role: 'user', content }] };
    return (await client.messages.countTokens(params as never)).input_tokens;
  };
  const expected = await count({ type: 'text', media_type: 'text/plain', data: text });
  const data = pdf.toString('base64');
  expect(await count({ type: 'base64', media_type: 'application/pdf', data })).toBe(expected);
  expect(await count({ type: 'file', file_id: await upload(pdf) })).toBe(expected);
  const source = { type: 'base64', media_type: 'application/pdf', data };
  const { status } = await send('/v1/messages', {
    max_tokens: 1,
    messages: [
      ...user([{ type: 'text', text: 'Read it.' }]),
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'read', input: {} }] },
      ...user([{ type: 'tool_result', tool_use_id: 'a', content: [{ type: 'document', source }] }]),
    ],
  });
  expect(status).toBe(200);
});

it('names the file that it cannot read, and the parameter', async () => {
  const secret = encryptedPdf();
  const message = 's.pdf is protected with a password. Remove the password and try again.';
  const file = { file_data: urlOf(secret), filename: 's.pdf' };
  const others = await upload(pdf, connect('other'));
  const ofChat = (fields: object) =>
    send('/v1/chat/completions', { messages: user([{ type: 'file', file: fields }]) });
  const at = 'messages[0].content[0].file';
  const code = 'invalid_document';
  expectFailure(await ofChat(file), { code, message, param: `${at}.file_data` });
  expectFailure(await ofChat({ file_data: '%%' }), {
    code: 'invalid_value',
    param: `${at}.file_data`,
    message: /not base64/,
  });
  expectFailure(await ofChat({}), {
    code: 'invalid_value',
    param: `${at}.file_data`,
    message: /either its content or its id/,
  });
  expectFailure(await ofChat({ file_id: others }), {
    code: 'file_not_found',
    param: `${at}.file_id`,
    message: /No file has the id/,
  });
  const ofResponse = (fields: object) =>
    send('/v1/responses', { input: user([{ type: 'input_file', ...fields }]) });
  expectFailure(await ofResponse(file), {
    code,
    message,
    param: 'input[0].content[0].file_data',
  });
  expectFailure(await ofResponse({ file_url: 'https://example.com/a.pdf' }), {
    code: 'invalid_value',
    param: 'input[0].content[0].file_url',
    message: /not loaded from URLs/,
  });
  const source = { type: 'base64', media_type: 'application/pdf', data: secret.toString('base64') };
  const ofAnthropic = await send('/v1/messages', {
    max_tokens: 1,
    messages: user([{ type: 'document', title: 's.pdf', source }]),
  });
  expect(ofAnthropic.status).toBe(400);
  expect(ofAnthropic.body.error.message).toContain(message);
});
