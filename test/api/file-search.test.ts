import OpenAI, { NotFoundError, toFile } from 'openai';
import type { ResponseStreamEvent } from 'openai/resources/responses/responses';
import { expect, it } from 'vitest';
import type { ScriptedGeneration } from '../setup/engine/scripted-llama-server.ts';
import { writeScriptedEngine } from '../setup/engine/scripted-engine.ts';
import { useHearth } from '../setup/server/use-hearth.ts';

const hearth = useHearth(async (home) => ({
  flags: [`--engine-llama-server=${await writeScriptedEngine(home)}`],
}));
const model = 'hearth/starter-chat';
const connect = () => new OpenAI({ baseURL: `${hearth.url}/v1`, apiKey: 'x', maxRetries: 0 });

const script: readonly ScriptedGeneration[] = [
  { calls: [['file_search', '{"queries":["zoo zebra"]}']] },
  { text: 'Zebras live in the zoo [1], bees do not [2, 9].' },
];

async function makeStore(client: OpenAI) {
  const embedding = { embedding_model: 'hearth/starter-embed' };
  const store = await client.vectorStores.create({ name: 'Animals', ...embedding });
  for (const [name, text] of [
    ['zoo.md', 'zoo zebra zoo'],
    ['bees.md', 'bee bee bee'],
  ] as const) {
    const file = await toFile(Buffer.from(text), name);
    const added = await client.vectorStores.files.uploadAndPoll(store.id, file, {
      pollIntervalMs: 20,
    });
    expect(added).toMatchObject({ status: 'completed' });
  }
  return store.id;
}

// covers api-18
it('lets the model search files, and shows what it cites', async () => {
  const client = connect();
  const id = await makeStore(client);
  const request = {
    model,
    input: JSON.stringify(script),
    tools: [{ type: 'file_search' as const, vector_store_ids: [id], max_num_results: 5 }],
    include: ['file_search_call.results' as const],
  };
  const events: ResponseStreamEvent[] = [];
  for await (const event of await client.responses.create({ ...request, stream: true })) {
    events.push(event);
  }
  const types = events.map(({ type }) => type);
  const searching = types.filter((type) => type.startsWith('response.file_search_call.'));
  expect(searching).toEqual(
    ['in_progress', 'searching', 'completed'].map((each) => `response.file_search_call.${each}`),
  );
  expect(types.filter((type) => type === 'response.output_text.annotation.added')).toHaveLength(2);
  const last = events.at(-1);
  const response = last?.type === 'response.completed' ? last.response : undefined;
  const [call, message] = response?.output ?? [];
  expect(call).toMatchObject({
    type: 'file_search_call',
    status: 'completed',
    queries: ['zoo zebra'],
    results: [
      { filename: 'zoo.md', text: 'zoo zebra zoo', attributes: {} },
      { filename: 'bees.md', text: 'bee bee bee' },
    ],
  });
  const annotations = [
    { type: 'file_citation', filename: 'zoo.md', index: 23 },
    { type: 'file_citation', filename: 'bees.md', index: 40 },
  ];
  expect(message).toMatchObject({ content: [{ annotations }] });
  const stored = await client.responses.retrieve(response?.id ?? '');
  expect(stored.output).toEqual([{ ...call, results: null }, message]);
});

it('refuses a vector store that does not exist', async () => {
  const tools = [{ type: 'file_search' as const, vector_store_ids: ['vs_x'] }];
  const request = connect().responses.create({ model, input: JSON.stringify(script), tools });
  await expect(request).rejects.toThrow(NotFoundError);
});
