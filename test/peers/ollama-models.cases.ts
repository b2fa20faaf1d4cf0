import * as z from 'zod';
import { ollama } from './ollama-generate.cases.ts';
import type { PeerAnswer, PeerSuite } from './peer-case.ts';
import { chat, count, embed, positive, text, vision } from './values.ts';

const timeSchema = z.iso.datetime({ offset: true });
const details = {
  format: 'gguf',
  family: text,
  families: z.array(text).min(1),
  parameter_size: text,
  quantization_level: text,
};
const namesOf = ({ body }: PeerAnswer): readonly string[] =>
  body.models.map(({ name }: { readonly name: string }) => name);

export const ollamaRoutes: PeerSuite = {
  ...ollama,
  path: 'server/routes_test.go',
  cases: [
    {
      id: 'ollama-version',
      test: 'TestRoutes/Version Handler',
      users: 'GET /api/version is a version.',
      request: { path: '/api/version' },
      expect: {
        headers: { 'content-type': /^application\/json/ },
        body: { version: /^\d+\.\d+\.\d+/ },
      },
    },
    {
      id: 'ollama-tags',
      test: 'TestRoutes/Tags Handler (yes tags)',
      users: 'GET /api/tags lists the models as `name:latest`, without `expires_at`.',
      request: { path: '/api/tags' },
      expect: {
        absent: ['models.0.expires_at'],
        checks: [
          ['lists the models', (answer) => namesOf(answer).includes('hearth/starter-chat:latest')],
        ],
      },
    },
    {
      id: 'ollama-tags-fields',
      test: 'runAPIListModels (integration/api_test.go)',
      users: 'A model of the list has its size, digest, time and details.',
      request: { path: '/api/tags' },
      expect: {
        body: {
          models: z
            .array(
              z.looseObject({
                name: text,
                model: text,
                modified_at: timeSchema,
                size: positive,
                digest: z.string().regex(/^[0-9a-f]{64}$/),
                details: z.looseObject({
                  format: text,
                  family: text,
                  parameter_size: text,
                  quantization_level: text,
                }),
              }),
            )
            .min(3),
        },
      },
    },
    {
      id: 'ollama-tags-head',
      test: 'TestRoutes',
      users: 'HEAD /api/tags is 200.',
      request: { path: '/api/tags', method: 'HEAD' },
      expect: { status: 200 },
    },
    {
      id: 'ollama-version-head',
      test: 'TestRoutes',
      users: 'HEAD /api/version is 200.',
      request: { path: '/api/version', method: 'HEAD' },
      expect: { status: 200 },
    },
    {
      id: 'ollama-openai-models',
      test: 'TestRoutes/openai list models with tags',
      users: 'GET /v1/models lists the models.',
      request: { path: '/v1/models' },
      expect: {
        body: { object: 'list', data: z.array(z.looseObject({ id: text, owned_by: text })).min(3) },
      },
    },
    {
      id: 'ollama-openai-models-owner',
      test: 'TestRoutes/openai list models with tags',
      users: 'Models are owned by "library", and their ids end with a tag.',
      request: { path: '/v1/models' },
      expect: {
        body: {
          data: z.array(
            z.looseObject({ id: z.string().regex(/^[^:]+$/), owned_by: z.literal('hearth') }),
          ),
        },
      },
      differs:
        'The owner is the publisher of the model, and an id its key, as in the rest of Hearth.',
    },
    {
      id: 'ollama-openai-model',
      test: 'TestRoutes/openai retrieve model handler',
      users: 'GET /v1/models/{id} is a model.',
      request: { path: `/v1/models/${chat}` },
      expect: { body: { id: chat, object: 'model', owned_by: text } },
    },
    {
      id: 'ollama-delete-unknown',
      test: 'TestRoutes/Delete Non-existent Model',
      users: 'Deleting an unknown model is a 404.',
      request: { path: '/api/delete', method: 'DELETE', body: { name: 'non_existent_model' } },
      expect: { status: 404, body: { error: /not found/ } },
    },
    {
      id: 'ollama-copy',
      test: 'TestRoutes/Copy Model Handler',
      users: 'A copy has the new name in the list.',
      before: [{ path: '/api/copy', body: { source: chat, destination: 'beefsteak' } }],
      request: { path: '/api/tags' },
      expect: {
        checks: [['lists the copy', (answer) => namesOf(answer).includes('beefsteak:latest')]],
      },
    },
    {
      id: 'ollama-copy-used',
      test: 'TestRoutes/Copy Model Handler',
      users: 'A copy answers under its name.',
      before: [{ path: '/api/copy', body: { source: chat, destination: 'hamshank' } }],
      request: {
        path: '/api/generate',
        body: {
          model: 'hamshank',
          prompt: 'Hi',
          think: false,
          stream: false,
          options: { num_predict: 4 },
        },
      },
      expect: { body: { model: 'hamshank', done: true, response: text } },
    },
    {
      id: 'ollama-delete',
      test: 'TestRoutes/Delete Model Handler',
      users: 'A deleted model is gone from the list.',
      before: [
        { path: '/api/copy', body: { source: chat, destination: 'model_to_delete' } },
        { path: '/api/delete', method: 'DELETE', body: { name: 'model_to_delete' } },
      ],
      request: { path: '/api/tags' },
      expect: {
        checks: [
          ['lacks the model', (answer) => !namesOf(answer).includes('model_to_delete:latest')],
        ],
      },
    },
    {
      id: 'ollama-create',
      test: 'TestRoutes/Create Model Handler',
      users: 'POST /api/create makes a model of files.',
      request: { path: '/api/create', body: { name: 't-bone', files: {}, stream: false } },
      expect: { status: 400, body: { error: /"from" or "files" is required/ } },
    },
    {
      id: 'ollama-blobs',
      test: 'TestCreateFromBin (server/routes_create_test.go)',
      users: 'POST /api/blobs/{digest} uploads a file.',
      request: { path: `/api/blobs/sha256:${'0'.repeat(64)}`, body: 'x' },
      expect: { status: 400, body: { error: /is not a GGUF file/ } },
      differs: 'The content must be a GGUF file.',
    },
    {
      id: 'ollama-push',
      test: 'TestRoutes',
      users: 'POST /api/push publishes a model.',
      request: { path: '/api/push', body: { model: chat } },
      expect: { status: 404, body: { error: /no endpoint/ } },
      differs: 'Not served: Hearth has no registry.',
    },
    {
      id: 'ollama-show',
      test: 'TestRoutes/Show Model Handler',
      users: 'POST /api/show describes a model.',
      request: { path: '/api/show', body: { model: chat } },
      expect: {
        body: {
          modelfile: /^FROM /,
          template: text,
          details,
          model_info: { 'general.architecture': text },
          capabilities: z.array(text).min(1),
          modified_at: timeSchema,
        },
      },
    },
    {
      id: 'ollama-show-parameter-count',
      test: 'TestRoutes/Show Model Handler',
      users: 'The number of parameters is in `model_info`.',
      request: { path: '/api/show', body: { model: chat } },
      expect: {
        checks: [
          ['lacks the number', ({ body }) => !('general.parameter_count' in body.model_info)],
        ],
        body: { details },
      },
      differs: 'It is `parameter_size` of `details`, rounded.',
    },
    {
      id: 'ollama-show-context-length',
      test: 'runAPIShowModel (integration/api_test.go)',
      users: 'The context length is in `model_info`, under the architecture.',
      request: { path: '/api/show', body: { model: chat } },
      expect: {
        checks: [
          [
            'has the context length',
            ({ body: { model_info: info } }) =>
              info[`${info['general.architecture']}.context_length`] > 0,
          ],
        ],
      },
    },
    {
      id: 'ollama-show-name',
      test: 'TestShow',
      users: 'The older field `name` is accepted, also beside an empty `model`.',
      request: { path: '/api/show', body: { model: '', name: chat } },
      expect: { body: { details } },
    },
    {
      id: 'ollama-show-license',
      test: 'runAPIShowModel (integration/api_test.go)',
      users: '`license` is the text of the license.',
      request: { path: '/api/show', body: { model: chat } },
      expect: { body: { details }, absent: ['license'] },
      differs: 'The header of a GGUF file has no text of a license.',
    },
    {
      id: 'ollama-show-parameters',
      test: 'TestRoutes/Show Model Handler',
      users: '`parameters` are the settings of the Modelfile.',
      request: { path: '/api/show', body: { model: chat } },
      expect: { body: { parameters: '' } },
      differs: 'A model without settings has none; the defaults are in its GGUF file.',
    },
    {
      id: 'ollama-show-embedding',
      test: 'TestModelCapabilities (server/images_test.go)',
      users: 'The capabilities of an embedding model are "embedding".',
      request: { path: '/api/show', body: { model: embed } },
      expect: { body: { capabilities: ['embedding'] } },
    },
    {
      id: 'ollama-show-vision',
      test: 'TestModelCapabilities (server/images_test.go)',
      users: 'The capabilities of a model with a projector have "vision".',
      request: { path: '/api/show', body: { model: vision } },
      expect: {
        checks: [['has vision', ({ body }) => body.capabilities.includes('vision')]],
      },
    },
    {
      id: 'ollama-show-unknown',
      test: 'TestShow',
      users: 'An unknown model is a 404.',
      request: { path: '/api/show', body: { model: 'unknown-model' } },
      expect: { status: 404, body: { error: /not found/ } },
    },
    {
      id: 'ollama-method',
      test: 'TestRoutes/Method Not Allowed',
      users: 'GET /api/show is a 405.',
      request: { path: '/api/show' },
      expect: { status: 405, headers: { allow: /POST/ } },
    },
    {
      id: 'ollama-names-case',
      test: 'TestManifestCaseSensitivity',
      users: 'The case of a name does not matter.',
      request: { path: '/api/show', body: { model: 'Hearth/Starter-Chat' } },
      expect: { body: { details } },
    },
    {
      id: 'ollama-names-latest',
      test: 'TestRoutes/Tags Handler (yes tags)',
      users: 'The tag `latest` may be left out, or named.',
      request: { path: '/api/show', body: { model: `${chat}:latest` } },
      expect: { body: { details } },
    },
    {
      id: 'ollama-ps',
      test: 'runAPIGenerate (integration/api_test.go)',
      users: 'GET /api/ps has the size, digest, details and expiry of loaded models.',
      before: [{ path: '/api/generate', body: { model: chat, stream: false } }],
      request: { path: '/api/ps' },
      expect: {
        body: {
          models: z
            .array(
              z.looseObject({
                name: text,
                model: text,
                size: positive,
                digest: text,
                expires_at: timeSchema,
                size_vram: count,
                context_length: positive,
              }),
            )
            .min(1),
        },
      },
    },
  ],
};
