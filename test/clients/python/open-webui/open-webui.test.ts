import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { writeScriptedEngine } from '../../../setup/engine/scripted-engine.ts';
import { waitForRequests } from '../../../setup/server/instances.ts';
import { useHearth } from '../../../setup/server/use-hearth.ts';
import { useTemporaryFolder } from '../../../setup/temporary-folder.ts';
import { useResource } from '../../../setup/use-resource.ts';
import { startOpenWebUi } from './open-webui.ts';

/** Sends requests to Open WebUI's backend like its page. Hearth is a connection of both kinds. */
const hearth = useHearth();
/** On this server, a script stands in for the model. */
const scripted = useHearth(async (home) => ({
  flags: [`--engine-llama-server=${await writeScriptedEngine(home, 65_536)}`],
}));
const folder = useTemporaryFolder();
const script = (answer: object): string =>
  `Answer as told: ${JSON.stringify([{ text: JSON.stringify(answer) }])}`;
const prefixed = JSON.stringify({ 1: { prefix_id: 'scripted' } });
const openWebUi = useResource(() =>
  startOpenWebUi(folder.path, {
    OPENAI_API_BASE_URLS: `${hearth.url}/v1;${scripted.url}/v1`,
    OPENAI_API_KEYS: 'any;any',
    OPENAI_API_CONFIGS: prefixed,
    OLLAMA_BASE_URLS: `${hearth.url};${scripted.url}`,
    OLLAMA_API_CONFIGS: prefixed,
    TASK_MODEL: 'scripted.hearth/starter-chat:latest',
    TASK_MODEL_EXTERNAL: 'scripted.hearth/starter-chat',
    TITLE_GENERATION_PROMPT_TEMPLATE: script({ title: 'A capital' }),
    TAGS_GENERATION_PROMPT_TEMPLATE: script({ tags: ['geography'] }),
    // Open WebUI has too many tools for the starter model.
    DEFAULT_MODEL_METADATA: JSON.stringify({ capabilities: { builtin_tools: false } }),
    DEFAULT_MODEL_PARAMS: JSON.stringify({ temperature: 0 }),
    RAG_EMBEDDING_ENGINE: 'openai',
    ENABLE_RETRIEVAL_QUERY_GENERATION: 'false',
  }),
);

interface Message {
  readonly content: string;
  readonly done: boolean;
  readonly error?: { readonly content: string };
  readonly output?: readonly { readonly type: string }[];
}
interface Chat {
  readonly title: string;
  readonly chat: { readonly history: { readonly messages: Readonly<Record<string, Message>> } };
}

/** The first turn of a new chat. */
async function startTurn(model: string, content: string, options: object = {}) {
  const [userMessage, answer] = [randomUUID(), randomUUID()];
  const started = (await openWebUi.call('/api/chat/completions', {
    model,
    stream: true,
    parent_id: null,
    user_message: { id: userMessage, role: 'user', content, parentId: null, models: [model] },
    id: answer,
    session_id: 'page',
    messages: [{ role: 'user', content }],
    ...options,
  })) as { readonly chat_id: string; readonly task_ids: readonly string[] };
  const chat = async () => (await openWebUi.call(`/api/v1/chats/${started.chat_id}`)) as Chat;
  return {
    id: started.chat_id,
    task: started.task_ids[0],
    chat,
    finished: () =>
      vi.waitUntil(
        async () => {
          const message = (await chat()).chat.history.messages[answer];
          return message?.done === true && message;
        },
        { timeout: 30_000 },
      ),
  };
}

beforeAll(async () => {
  // Open WebUI only serves models that it has listed.
  await openWebUi.call('/api/models');
  const content = `class Tools:
    def get_tide(self, harbour: str) -> str:
        """
        Tide of a harbour
        :param harbour: The harbour
        """
        return '{"tide": "high"}'
`;
  await openWebUi.call('/api/v1/tools/create', {
    id: 'tides',
    name: 'Tides',
    content,
    meta: { description: 'Tides' },
  });
});

describe.each([
  ['OpenAI', '', 'openai', '/v1'],
  ['Ollama', ':latest', 'ollama', ''],
])('Open WebUI through %s', (_, suffix, engine, path) => {
  const model = `hearth/starter-chat${suffix}`;
  const question = 'What is the capital of France?';

  it('lists the models', async () => {
    const { data } = (await openWebUi.call('/api/models')) as {
      readonly data: readonly { readonly id: string }[];
    };
    expect(data.map(({ id }) => id)).toEqual(
      expect.arrayContaining([model, `hearth/starter-vision${suffix}`]),
    );
  });

  it('chats, whole and in a stream', async () => {
    const request = { model, messages: [{ role: 'user', content: question }] };
    expect(await openWebUi.call('/api/chat/completions', request)).toMatchObject({
      choices: [{ message: { content: 'The capital of France is Paris.' } }],
    });
    const streamed = await openWebUi.call('/api/chat/completions', { ...request, stream: true });
    expect(streamed).toMatch(/^data: \{[^]*data: \[DONE\]\s*$/);
  });

  it('stores a chat with its reasoning, its title and its tags', async () => {
    const turn = await startTurn(model, question, {
      background_tasks: { title_generation: true, tags_generation: true },
    });
    const { content, output } = await turn.finished();
    expect(content).toBe('The capital of France is Paris.');
    expect(output?.map(({ type }) => type)).toEqual(['reasoning', 'message']);
    await expect.poll(async () => (await turn.chat()).title).toBe('A capital');
    await expect
      .poll(() => openWebUi.call(`/api/v1/chats/${turn.id}/tags`))
      .toMatchObject([{ name: 'geography' }]);
  });

  it('calls a tool of its own', async () => {
    const turn = await startTurn(model, 'Get the tide of Brest', { tool_ids: ['tides'] });
    const { content, output } = await turn.finished();
    expect(output).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ type: 'function_call', arguments: '{"harbour":"Brest"}' }),
        expect.objectContaining({ type: 'function_call_output' }),
      ]),
    );
    expect(content).toContain('high');
  });

  it('embeds a file, and finds its text', async () => {
    await openWebUi.call('/api/v1/retrieval/embedding/update', {
      RAG_EMBEDDING_ENGINE: engine,
      RAG_EMBEDDING_MODEL: `hearth/starter-embed${suffix}`,
      [`${engine}_config`]: { url: hearth.url + path, key: 'any' },
    });
    const form = new FormData();
    const text = `The tide of Brest is high at noon, says ${engine}.`;
    form.set('file', new Blob([text], { type: 'text/plain' }), 'sea.txt');
    const { id } = (await openWebUi.call('/api/v1/files/?process_in_background=false', form)) as {
      readonly id: string;
    };
    expect(
      await openWebUi.call('/api/v1/retrieval/query/collection', {
        collection_names: [`file-${id}`],
        query: 'the tide of Brest',
        k: 1,
      }),
    ).toMatchObject({ documents: [[text]] });
    const turn = await startTurn(model, question, { files: [{ type: 'file', id }] });
    expect(await turn.finished()).toMatchObject({ sources: [{ document: [text] }] });
  });

  it('shows the errors of the server, such as of a long context', async () => {
    const turn = await startTurn(model, 'word '.repeat(20_000));
    const { error } = await turn.finished();
    expect(error?.content).toMatch(/context/);
  });

  it('stops the generation when a chat is stopped', async () => {
    const story = JSON.stringify([{ text: 'sea ', times: 5000, tokensPerSecond: 50 }]);
    const turn = await startTurn(`scripted.${model}`, `Tell me a story: ${story}`);
    await waitForRequests(scripted.url, 'hearth/starter-chat', 1, 30_000);
    const stopped = await openWebUi.call(`/api/tasks/stop/${turn.task}`, {});
    expect(stopped).toMatchObject({ status: true });
    await waitForRequests(scripted.url, 'hearth/starter-chat', 0, 30_000);
  });
});
