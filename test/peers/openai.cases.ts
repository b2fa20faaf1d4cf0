import * as z from 'zod';
import { openAi } from './openai-chat.cases.ts';
import type { PeerRequest, PeerSuite } from './peer-case.ts';
import { chat, count, embed, openAiError, positive, text, unitVector } from './values.ts';

const complete = (more: object = {}): PeerRequest => ({
  path: '/v1/completions',
  body: { model: chat, prompt: 'Hello', max_tokens: 8, temperature: 0, ...more },
});

export const openAiOther: PeerSuite = {
  ...openAi,
  path: 'tests/api_resources/test_completions.py',
  cases: [
    {
      id: 'openai-completions',
      test: 'test_method_create_overload_1',
      users: 'A completion has its text and usage.',
      request: complete(),
      expect: {
        body: {
          id: /^cmpl-/,
          object: 'text_completion',
          created: positive,
          choices: [{ index: 0, text, logprobs: null, finish_reason: 'length' }],
          usage: { completion_tokens: 8 },
        },
      },
    },
    {
      id: 'openai-completions-echo',
      test: 'test_method_create_with_all_params_overload_1',
      users: '`echo` begins the text with the prompt.',
      request: complete({ echo: true }),
      expect: { body: { choices: [{ text: /^Hello./ }] } },
    },
    {
      id: 'openai-completions-best-of',
      test: 'test_method_create_with_all_params_overload_1',
      users: '`best_of` above `n` chooses the best of several texts.',
      request: complete({ best_of: 2 }),
      expect: { status: 400, body: openAiError(/best_of/, { param: 'best_of' }) },
      differs: 'Not supported, and refused, as it changes the answer; `n` returns several texts.',
    },
    {
      id: 'openai-completions-echo-logprobs',
      test: 'test_method_create_with_all_params_overload_1',
      users: '`echo` and `logprobs` score the prompt.',
      request: complete({ echo: true, logprobs: 0 }),
      expect: { status: 400, body: openAiError(/logprobs/, { param: 'logprobs' }) },
      differs: 'The engine does not report the probabilities of a prompt.',
    },
    {
      id: 'openai-completions-n',
      test: 'test_method_create_with_all_params_overload_1',
      users: '`n` gives as many texts.',
      request: complete({ n: 2 }),
      expect: { body: { choices: [{ index: 0 }, { index: 1 }] } },
    },
    {
      id: 'openai-embeddings',
      test: 'test_method_create (test_embeddings.py)',
      users: 'A text gives a vector.',
      request: { path: '/v1/embeddings', body: { model: embed, input: 'The quick brown fox' } },
      expect: {
        body: {
          object: 'list',
          model: embed,
          data: [{ object: 'embedding', index: 0, embedding: unitVector }],
          usage: { prompt_tokens: positive, total_tokens: positive },
        },
      },
    },
    {
      id: 'openai-embeddings-dimensions',
      test: 'test_method_create_with_all_params (test_embeddings.py)',
      users: '`dimensions` shortens the vector.',
      request: { path: '/v1/embeddings', body: { model: embed, input: 'The fox', dimensions: 1 } },
      expect: { status: 400, body: openAiError(/dimensions/, { param: 'dimensions' }) },
      differs:
        'Only for models that were trained for it; the vectors of others would lose their meaning.',
    },
    {
      id: 'openai-models',
      test: 'test_method_list (test_models.py)',
      users: 'Models can be listed.',
      request: { path: '/v1/models' },
      expect: {
        body: {
          object: 'list',
          data: z
            .array(
              z.looseObject({
                id: text,
                object: z.literal('model'),
                created: count,
                owned_by: text,
              }),
            )
            .min(3),
        },
      },
    },
    {
      id: 'openai-model',
      test: 'test_method_retrieve (test_models.py)',
      users: 'A model can be read by its id.',
      request: { path: `/v1/models/${encodeURIComponent(chat)}` },
      expect: { body: { id: chat, object: 'model', created: count, owned_by: text } },
    },
    {
      id: 'openai-model-unknown',
      test: 'test_method_retrieve (test_models.py)',
      users: 'An unknown model is a 404 with the code `model_not_found`.',
      request: { path: '/v1/models/gpt-4o-mini' },
      expect: { status: 404, body: openAiError(/gpt-4o-mini/, { code: 'model_not_found' }) },
    },
    {
      id: 'openai-model-delete',
      test: 'test_method_delete (test_models.py)',
      users: 'DELETE /v1/models/{id} deletes a model.',
      request: { path: '/v1/models/gpt-4o-mini', method: 'DELETE' },
      expect: { status: 405 },
      differs:
        'A model is deleted with `DELETE /api/v1/models/{key}` or `hearth rm`, which need a permission of their own.',
    },
    {
      id: 'openai-conversations',
      test: 'test_method_create (test_conversations.py)',
      users: 'A conversation can be created.',
      request: { path: '/v1/conversations', body: { metadata: { topic: 'sea' } } },
      expect: { body: { id: /^conv_/, object: 'conversation', metadata: { topic: 'sea' } } },
    },
    {
      id: 'openai-moderations',
      test: 'test_method_create (test_moderations.py)',
      users: 'POST /v1/moderations classifies a text.',
      request: { path: '/v1/moderations', body: { input: 'Hello!' } },
      expect: { status: 404, body: { error: { code: 'not_found' } } },
      differs: 'Not served: no model of a library is trained for it.',
    },
    {
      id: 'openai-images',
      test: 'test_method_generate_overload_1 (test_images.py)',
      users: 'POST /v1/images/generations generates an image.',
      request: { path: '/v1/images/generations', body: { prompt: 'The sea' } },
      expect: { status: 404, body: { error: { code: 'not_found' } } },
      differs: 'Not served: Hearth runs language models.',
    },
    {
      id: 'openai-assistants',
      test: 'test_method_create (test_assistants.py)',
      users: 'POST /v1/assistants creates an assistant.',
      request: { path: '/v1/assistants', body: { model: chat } },
      expect: { status: 404, body: { error: { code: 'not_found' } } },
      differs: 'The API is deprecated; `/v1/responses` takes its place.',
    },
  ],
};
