import type { ApiRoutes } from '../kit/mount.ts';
import type { ApiServices } from '../services.ts';
import { mountBatches } from './batches/batches.ts';
import { mountFiles } from './batches/files.ts';
import { mountChatCompletions } from './chat/chat-completions.ts';
import { mountCompletions } from './completions/completions.ts';
import { mountEmbeddings } from './embeddings/embeddings.ts';
import { ConversationLocks } from './conversations/conversation-locks.ts';
import { mountConversations } from './conversations/conversations.ts';
import { openAiErrors } from './errors.ts';
import { mountModels } from './models.ts';
import { mountRerank } from './embeddings/rerank.ts';
import { mountResponses } from './responses/responses.ts';
import { mountVectorStores } from './vector-stores/vector-stores.ts';
import { mountTranscriptions } from './audio/transcriptions.ts';
import { mountSpeech } from './speech/speech.ts';

/** `/v1`: OpenAI's API, for clients of OpenAI. */
export function createOpenAiApi(services: ApiServices): ApiRoutes {
  return {
    name: 'openai',
    description: 'The API of OpenAI, for clients that were made for it.',
    errorSerializer: openAiErrors,
    mountRoutes: (app) => {
      mountModels(app, services);
      mountChatCompletions(app, services);
      mountCompletions(app, services);
      mountEmbeddings(app, services);
      mountRerank(app, services);
      mountSpeech(app, services);
      mountTranscriptions(app, services);
      mountFiles(app, services);
      mountBatches(app, services);
      mountVectorStores(app, services);
      const locks = new ConversationLocks(services.leases);
      mountResponses(app, services, locks);
      mountConversations(app, services, locks);
    },
  };
}
