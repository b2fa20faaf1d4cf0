import { ChatOllama, OllamaEmbeddings } from '@langchain/ollama';
import { describe, expect, it } from 'vitest';
import { endlessModel, placeEndlessModel } from '../../setup/models/endless-model.ts';
import { waitForRequests } from '../../setup/server/instances.ts';
import { useHearth } from '../../setup/server/use-hearth.ts';
import { testChatModel } from './langchain-suite.ts';

const hearth = useHearth(async (home) => {
  await placeEndlessModel(home);
});

describe('@langchain/ollama', () => {
  const options = () => ({ baseUrl: hearth.url, maxRetries: 0 });
  const chat = (model = 'hearth/starter-chat') =>
    new ChatOllama({ ...options(), model, temperature: 0, think: false });

  testChatModel(chat);

  it('embeds with its defaults', async () => {
    const embeddings = new OllamaEmbeddings({ ...options(), model: 'hearth/starter-embed' });
    const vectors = await embeddings.embedDocuments(['The sea is calm.', 'The sky is blue.']);
    expect(vectors.map((vector) => vector.length)).toEqual([128, 128]);
    expect(await embeddings.embedQuery('The sea is calm.')).toHaveLength(128);
  });

  it('throws the errors of the server', async () => {
    await expect(chat('nobody/nothing').invoke('Hello!')).rejects.toMatchObject({
      name: 'ResponseError',
      status_code: 404,
    });
  });

  it('stops the generation when it is aborted midway', async () => {
    const model = chat(endlessModel);
    const running = await model.stream('Tell me a story');
    let isAborted = false;
    const reading = (async () => {
      for await (const _ of running) {
        // The client may still yield what it received before the abort.
        if (isAborted) continue;
        await waitForRequests(hearth.url, endlessModel, 1);
        // A call's own signal only stops reading, and leaves the request open.
        model.client.abort();
        isAborted = true;
      }
    })();
    await expect(reading).rejects.toThrow(/abort/i);
    await waitForRequests(hearth.url, endlessModel, 0);
  });
});
