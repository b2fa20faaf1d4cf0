import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { conversationExportSchema } from '../../src/api/v1/conversations/conversation-export-schema.ts';
import { declaredEndpoints } from '../../src/server/reference.ts';
import { starterPath } from '../setup/engine/test-engines.ts';
import { addGgufEntries } from '../setup/models/gguf-writer.ts';
import { placeModel } from '../setup/models/place-model.ts';
import { get, post, toAnswer } from '../setup/server/api.ts';
import { runHearth } from '../setup/cli/run-hearth.ts';
import { useHearth } from '../setup/server/use-hearth.ts';

/** Stored text that a browser would run if a response had the type of a web page. */
const script = '<script>alert(1)</script>';
const page = `<!doctype html><html><body>"'>${script}</body></html>`;
/** Content types that no browser renders as a page. */
const harmlessTypes =
  /^(?:application\/(?:json|octet-stream|x-ndjson|openmetrics-text)|text\/(?:event-stream|markdown|plain))\b/;

let admin: Readonly<Record<string, string>>;
const ids: Record<string, string> = {};

const hearth = useHearth(async (home) => {
  const made = await runHearth(
    ['token', 'create', '--name', script, '--permissions', 'admin', '--json'],
    { home },
  );
  admin = { authorization: `Bearer ${JSON.parse(made.stdout).token}` };
  const starter = await readFile(starterPath('chat'));
  const metadata = { 'general.description': page, 'general.license': page, 'general.author': page };
  await placeModel(home, 'test/hostile', addGgufEntries(starter, metadata));
});

/** An exported conversation in which every text is a script. */
function hostileConversation(): object {
  const [example] = (conversationExportSchema.meta()?.examples ?? []) as object[];
  const text = JSON.stringify(example)
    .replaceAll('The sea', page.replaceAll('"', String.raw`\"`))
    .replaceAll('Write a haiku about the sea.', script)
    .replaceAll('Waves fold into foam.', script);
  const exported = JSON.parse(text);
  exported.responses[0].turn.items.unshift({
    type: 'toolCall',
    tool: script,
    arguments: { text: script },
    result: [{ type: 'text', text: page }],
    round: 0,
    exposedName: script,
    provider: { type: 'plugin', pluginId: 'mcp/harbour' },
    isError: false,
  });
  return exported;
}

beforeAll(async () => {
  const init = { headers: admin };
  const imported = await post(
    hearth.url,
    '/api/v1/conversations/import',
    hostileConversation(),
    init,
  );
  ids['conversation_id'] = imported.body.conversation_id;
  ids['response_id'] = imported.body.last_response_id;
  const form = new FormData();
  form.set('purpose', 'batch');
  form.set('file', new Blob([page], { type: 'text/html' }), '<script>.html');
  const request = { method: 'POST', body: form, headers: admin };
  const upload = await toAnswer(await fetch(`${hearth.url}/v1/files`, request));
  ids['file_id'] = upload.body.id;
  ids['model'] = 'test/hostile';
  ids['label'] = 'hostile';
  await get(hearth.url, '/api/v1/mcp/servers/hostile', {
    ...init,
    method: 'PUT',
    headers: { ...admin, 'content-type': 'application/json' },
    body: JSON.stringify({ command: process.execPath, args: ['-e', '0', script] }),
  });
});

// covers error-22
it('is sent by every route with a type that no browser runs', async () => {
  const readable = declaredEndpoints().filter(({ route }) => route.method === 'get');
  let shown = 0;
  for (const { route } of readable) {
    const path = route.path.replaceAll(
      /\{(\w+)(?:\.\.\.)?\}/g,
      (_, name: string) => ids[name] ?? encodeURIComponent(script),
    );
    for (const query of [
      '',
      '?format=markdown',
      '?model=test/hostile',
      `?search=${encodeURIComponent(script)}`,
    ]) {
      const response = await fetch(hearth.url + path + query, { headers: admin });
      const { headers } = response;
      const text = route.isStreamOnly === true ? '' : await response.text();
      if (route.isStreamOnly === true) await response.body?.cancel();
      if (text.includes(script)) shown += 1;
      expect([path, headers.get('content-type')]).toEqual([
        path,
        expect.stringMatching(harmlessTypes),
      ]);
      expect([path, headers.get('x-content-type-options')]).toEqual([path, 'nosniff']);
    }
  }
  expect(shown).toBeGreaterThan(10);
});

describe('a file', () => {
  // covers error-22
  it.each([
    ['an upload', () => `/v1/files/${ids['file_id']}/content`, 'application/octet-stream'],
    [
      'an export',
      () => `/api/v1/conversations/${ids['conversation_id']}/export`,
      'application/json',
    ],
    [
      'an export as Markdown',
      () => `/api/v1/conversations/${ids['conversation_id']}/export?format=markdown`,
      'text/markdown; charset=utf-8',
    ],
  ])('is saved, not shown: %s', async (_, path, type) => {
    const response = await fetch(hearth.url + path(), { headers: admin });
    expect(await response.text()).toContain(script);
    expect(response.headers.get('content-type')).toBe(type);
    const disposition = response.headers.get('content-disposition') ?? '';
    expect(disposition).toMatch(/^attachment; filename\*=UTF-8''[\w%.~!-]+$/);
    expect(disposition).toContain('%3Cscript%3E');
  });
});

it('is JSON in errors that name it', async () => {
  const encoded = encodeURIComponent(script);
  for (const [path, body] of [
    [`/${encoded}`, undefined],
    [`/api/v1/models/${encoded}`, undefined],
    [`/api/v1/responses?${encoded}=1`, undefined],
    ['/api/v1/chat', { model: script, input: script }],
    [
      '/v1/messages',
      { model: script, max_tokens: 1, messages: [{ role: script, content: script }] },
    ],
    ['/api/chat', { model: script, messages: [] }],
    ['/api/v0/completions', { model: script, prompt: script }],
  ] as const) {
    const init = { headers: admin };
    const answer =
      body === undefined
        ? await get(hearth.url, path, init)
        : await post(hearth.url, path, body, init);
    expect([path, answer.status >= 400]).toEqual([path, true]);
    expect([path, answer.headers.get('content-type')]).toEqual([path, 'application/json']);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  }
});
