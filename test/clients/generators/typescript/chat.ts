import createClient from 'openapi-fetch';
import type { paths } from '../../.generated/schema.ts';

/** Chats through the generated types and prints what the test compares. */
declare const process: { readonly argv: readonly string[] };

const client = createClient<paths, 'application/json'>({ baseUrl: process.argv[2] ?? '' });
const model = 'hearth/starter-chat';

const first = await client.POST('/api/v1/chat', {
  body: { model, input: 'Hello!', reasoning: 'off', max_output_tokens: 32 },
});
if (first.data === undefined) throw new Error(JSON.stringify(first.error));
const [item] = first.data.output;
// The discriminator narrows the union to its message.
const text = item?.type === 'message' ? item.content : '';

const second = await client.POST('/api/v1/chat', {
  body: {
    model,
    input: [{ type: 'text', content: 'And who are you?' }],
    reasoning: 'off',
    max_output_tokens: 32,
    previous_response_id: first.data.response_id ?? '',
  },
});
const stored = await client.GET('/api/v1/responses/{response_id}', {
  params: { path: { response_id: second.data?.response_id ?? '' } },
});

const completion = await client.POST('/api/v0/chat/completions', {
  body: { model, messages: [{ role: 'user', content: 'Hello!' }], max_tokens: 32 },
});

const refused = await client.POST('/api/v1/chat', {
  body: { model: 'nobody/nothing', input: 'Hello!' },
});

console.log(
  JSON.stringify({
    text,
    continues: stored.data?.previous_response_id === first.data.response_id,
    completion: completion.data?.choices[0]?.message.role,
    error: refused.error?.error.code,
  }),
);
