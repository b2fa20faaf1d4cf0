import type { ErrorCase } from '../setup/server/error-case.ts';

const chat = '/api/v1/chat';
const chatV0 = '/api/v0/chat/completions';
const v1 = { model: 'hearth/starter-chat', input: 'Hello!' };
const v0 = { model: 'hearth/starter-chat', messages: [{ role: 'user', content: 'Hello!' }] };
const neverStored = `resp_${'0'.repeat(48)}`;
const text = { 'content-type': 'text/plain' };

const bodyCases: readonly ErrorCase[] = [
  { code: 'invalid_json', path: chat, body: '{"model":', message: /not JSON: .*end of JSON/ },
  { code: 'invalid_json', path: chatV0, body: '', message: 'The body is empty' },
  {
    code: 'missing_required_parameter',
    path: chat,
    body: { model: 'x' },
    param: 'input',
    message: '"input" is required; it must be a string or an array',
  },
  {
    code: 'missing_required_parameter',
    path: chatV0,
    body: { model: 'x' },
    param: 'messages',
    message: '"messages" is required; it must be an array',
  },
  {
    code: 'missing_required_parameter',
    path: chatV0,
    body: { ...v0, model: '' },
    param: 'model',
    message: 'no model for this is loaded',
  },
  {
    code: 'unrecognized_keys',
    path: chat,
    body: { ...v1, temprature: 1 },
    param: 'temprature',
    message: /"temprature" is not .* Did you mean "temperature"\? Known are: model, /,
  },
  {
    code: 'invalid_type',
    path: chat,
    body: { ...v1, temperature: 'hot' },
    param: 'temperature',
    message: '"temperature" must be a number, not "hot"',
  },
  {
    code: 'invalid_type',
    path: chatV0,
    body: { ...v0, messages: [{ role: 'user', content: 5 }] },
    param: 'messages[0].content',
    message: 'not 5',
  },
  {
    code: 'invalid_value',
    path: chat,
    body: { ...v1, temperature: 7 },
    param: 'temperature',
    message: '"temperature" must be at most 1, not 7',
  },
  {
    code: 'invalid_value',
    path: chat,
    body: { ...v1, top_k: 1e20 },
    param: 'top_k',
    message: '"top_k" is 100000000000000000000. It must be at most 1000000.',
  },
  {
    code: 'invalid_value',
    path: chatV0,
    body: { ...v0, top_p: -1 },
    param: 'top_p',
    message: '"top_p" must be at least 0, not -1',
  },
  {
    code: 'unrecognized_keys',
    path: '/api/v1/responses?limt=5',
    param: 'limt',
    message: '"limt" is not a known field. Did you mean "limit"? Known are: limit, after',
  },
  {
    code: 'unrecognized_keys',
    path: '/api/v1/models/catalog?query=chat',
    param: 'query',
    message: '"query" is not a known field. Known are: search, limit, source.',
  },
  {
    code: 'invalid_value',
    path: '/api/v1/responses?limit=1000',
    param: 'limit',
    message: '"limit" must be at most 100, not "1000"',
  },
  {
    code: 'invalid_value',
    path: chat,
    body: { ...v1, previous_response_id: neverStored },
    param: 'previous_response_id',
    message: `"${neverStored}" is not stored`,
  },
];

/** Cases for a server whose `limits.bodyBytes` is 100,000. */
const httpCases: readonly ErrorCase[] = [
  {
    code: 'forbidden',
    path: chat,
    body: v1,
    headers: { origin: 'https://foreign.example' },
    message: /"https:\/\/foreign\.example" may not .* `server\.cors`/,
  },
  {
    code: 'forbidden',
    path: '/api/v0/models',
    headers: { origin: 'null' },
    message: '"null" may not call',
  },
  {
    code: 'not_found',
    path: '/api/v1/chats',
    body: {},
    message: /"\/api\/v1\/chats"\. Did you mean \/api\/v1\/chat\?/,
  },
  { code: 'not_found', path: '/api/v0/nothing', message: 'no endpoint "/api/v0/nothing"' },
  {
    code: 'method_not_allowed',
    path: chat,
    message: '"GET"; it takes: POST',
    answerHeaders: { allow: 'POST' },
  },
  {
    code: 'method_not_allowed',
    path: '/api/v0/models',
    method: 'PATCH',
    message: 'it takes: GET, HEAD',
    answerHeaders: { allow: 'GET, HEAD' },
  },
  {
    code: 'body_too_large',
    path: chat,
    body: { ...v1, input: 'x'.repeat(100_001) },
    message: /The body has 100\d{3} bytes; at most 100000 .*limits\.bodyBytes/,
  },
  {
    code: 'body_too_large',
    path: chatV0,
    body: { ...v0, user: 'x'.repeat(100_001) },
    message: 'at most 100000',
  },
  {
    code: 'unsupported_media_type',
    path: chat,
    body: v1,
    headers: text,
    message: '"text/plain"; it must be application/json',
  },
  {
    code: 'unsupported_media_type',
    path: chatV0,
    body: v0,
    headers: text,
    message: '"text/plain"',
  },
  {
    code: 'preset_not_found',
    path: '/api/v1/presets/nothing',
    param: 'preset',
    message: '"nothing"',
  },
  {
    code: 'project_not_found',
    path: '/api/v1/projects/proj_0',
    param: 'project_id',
    message: '"proj_0"',
  },
  {
    code: 'prompt_not_found',
    path: '/api/v1/prompts/nothing',
    param: 'prompt',
    message: '"nothing"',
  },
  {
    code: 'tool_approval_not_found',
    path: '/api/v1/tool-approvals/nowhere/nothing',
    method: 'DELETE',
    param: 'tool',
    message: '"nowhere"',
  },
  {
    code: 'conversation_not_found',
    path: `/api/v1/conversations/conv_${'0'.repeat(48)}`,
    param: 'conversation_id',
    message: 'GET /api/v1/conversations lists',
  },
  {
    code: 'blob_not_found',
    path: `/api/v1/blobs/${'0'.repeat(64)}`,
    param: 'sha256',
    message: '0'.repeat(64),
  },
  {
    code: 'response_not_found',
    path: `/api/v1/responses/${neverStored}`,
    param: 'response_id',
    message: neverStored,
  },
  {
    code: 'response_not_found',
    path: '/api/v1/responses/other',
    method: 'DELETE',
    param: 'response_id',
    message: '"other"',
  },
];

/** Requests that are invalid for any model. */
export const requestErrorCases: readonly ErrorCase[] = [...bodyCases, ...httpCases];
