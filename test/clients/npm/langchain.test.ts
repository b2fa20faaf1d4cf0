import { ChatOpenAI, OpenAIEmbeddings } from '@langchain/openai';
import { describe, expect, it } from 'vitest';
import { endlessModel, placeEndlessModel } from '../../setup/models/endless-model.ts';
import { waitForRequests } from '../../setup/server/instances.ts';
import { useHearth } from '../../setup/server/use-hearth.ts';
import { testChatModel } from './langchain-suite.ts';

const hearth = useHearth(async (home) => {
  await placeEndlessModel(home);
});

describe.each(['/api/v0', '/v1'])('@langchain/openai at %s', (path) => {
  const options = () => ({
    apiKey: 'any-word',
    configuration: { baseURL: hearth.url + path },
    maxRetries: 0,
  });
  const chat = (model = 'hearth/starter-chat') =>
    new ChatOpenAI({ ...options(), model, temperature: 0 });

  testChatModel(chat);

  it('embeds with its defaults', async () => {
    const embeddings = new OpenAIEmbeddings({ ...options(), model: 'hearth/starter-embed' });
    const vectors = await embeddings.embedDocuments(['The sea is calm.', 'The sky is blue.']);
    expect(vectors.map((vector) => vector.length)).toEqual([128, 128]);
    expect(await embeddings.embedQuery('The sea is calm.')).toHaveLength(128);
  });

  it('throws the errors of the server', async () => {
    await expect(chat('nobody/nothing').invoke('Hello!')).rejects.toMatchObject({
      status: 404,
      code: 'model_not_found',
    });
  });

  it('stops the generation when it is aborted midway', async () => {
    const controller = new AbortController();
    const running = await chat(endlessModel).stream('Tell me a story', {
      signal: controller.signal,
    });
    const reading = (async () => {
      for await (const _ of running) {
        // The client may still yield what it received before the abort.
        if (controller.signal.aborted) continue;
        await waitForRequests(hearth.url, endlessModel, 1);
        controller.abort();
      }
    })();
    await expect(reading).rejects.toThrow(/abort/i);
    await waitForRequests(hearth.url, endlessModel, 0);
  });
});
