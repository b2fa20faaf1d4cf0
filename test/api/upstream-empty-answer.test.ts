import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startLoopbackServer } from '../setup/net/loopback-server.ts';
import { get, post } from '../setup/server/api.ts';
import { expectError } from '../setup/server/expect-error.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { useResource } from '../setup/use-resource.ts';

/** A remote server whose model ends its answer before the first token. */
const chunk = (delta: object) => `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`;
let events: readonly string[] = [];
const remote = useResource(() =>
  startLoopbackServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(events.join(''));
  }),
);
const hearth = useHearth(async (home) => {
  const models = { empty: {} };
  const upstreams = { quiet: { url: `${remote.url}/v1`, kind: 'ollama', models } };
  await writeFile(join(home, 'config.json'), JSON.stringify({ upstreams }));
  return {};
});

const model = 'quiet/empty';
const messages = [{ role: 'user', content: 'Say nothing.' }];
const none = chunk({ role: 'assistant', content: '' });

describe('an answer without a token', () => {
  it('is empty if the server has ended it', async () => {
    events = [none, 'data: [DONE]\n\n'];
    const openAi = await post(hearth.url, '/v1/chat/completions', { model, messages });
    expect(openAi.status, JSON.stringify(openAi.body)).toBe(200);
    expect(openAi.body.choices).toMatchObject([
      { message: { role: 'assistant', content: '' }, finish_reason: 'stop' },
    ]);
    const ollama = await post(hearth.url, '/api/chat', { model, messages, stream: false });
    expect(ollama.body).toMatchObject({ message: { content: '' }, done: true });
    const anthropic = await post(hearth.url, '/v1/messages', { model, messages, max_tokens: 8 });
    expect(anthropic.body).toMatchObject({ content: [], stop_reason: 'end_turn' });

    const first = await post(hearth.url, '/api/v1/chat', { model, input: 'Say nothing.' });
    expect(first.body).toMatchObject({ output: [] });
    const path = `/api/v1/responses/${first.body.response_id}`;
    expect((await get(hearth.url, path)).body).toMatchObject({ output: [] });
    const next = { model, input: 'Again.', previous_response_id: first.body.response_id };
    expect((await post(hearth.url, '/api/v1/chat', next)).status).toBe(200);
  });

  it('is an error if the connection closes without an end', async () => {
    events = [none];
    expectError(await post(hearth.url, '/api/v1/chat', { model, input: 'Say nothing.' }), {
      code: 'upstream_error',
      message: 'its answer broke off',
    });
  });
});
