import * as z from 'zod';
import type { PeerRequest, PeerSuite } from './peer-case.ts';
import { anyText, chat, count, embed, openAiError, text, vision } from './values.ts';

const llama = { peer: 'llama.cpp', repository: 'ggml-org/llama.cpp' } as const;
const notServed = { status: 404, body: { error: { code: 'not_found' } } } as const;
const see = (url: string): PeerRequest => ({
  path: '/v1/chat/completions',
  body: {
    model: vision,
    max_tokens: 8,
    temperature: 0,
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'image_url', image_url: { url } },
        ],
      },
    ],
  },
});

export const llamaBasic: PeerSuite = {
  ...llama,
  commit: '1e6964f3b16c2d96b552687bb6712fe2d65f22ca',
  path: 'tools/server/tests/unit/test_basic.py',
  cases: [
    {
      id: 'llama-health',
      test: 'test_server_start_simple',
      users: 'GET /health is 200 if the server can take requests.',
      request: { path: '/health' },
      expect: { body: { status: 'ok' } },
    },
    {
      id: 'llama-models',
      test: 'test_server_models',
      users: 'GET /v1/models lists the models.',
      request: { path: '/v1/models' },
      expect: {
        body: {
          object: 'list',
          data: z.array(z.looseObject({ id: text, object: z.literal('model') })).min(1),
        },
      },
    },
    {
      id: 'llama-models-root',
      test: 'test_server_models',
      users: 'GET /models lists the models without the prefix /v1.',
      request: { path: '/models' },
      expect: { headers: { 'content-type': /^text\/html/ } },
      differs:
        'Paths without a prefix belong to the web app; the base URL of clients ends with `/v1`.',
    },
    {
      id: 'llama-models-aliases',
      test: 'test_server_model_aliases_and_tags',
      users: 'A model of the list has `aliases` and `tags`.',
      request: { path: '/v1/models' },
      expect: { body: { object: 'list' }, absent: ['data.0.aliases', 'data.0.tags'] },
      differs:
        'An alias is a model of its own in the list, as clients of OpenAI read ids only; there are no tags.',
    },
    {
      id: 'llama-webui',
      test: 'test_no_webui',
      users: 'GET / is the web app.',
      request: { path: '/', headers: { accept: 'text/html' } },
      expect: { headers: { 'content-type': /^text\/html/ } },
    },
    {
      id: 'llama-props',
      test: 'test_server_props',
      users: 'GET /props has the settings of the model.',
      request: { path: '/props' },
      expect: notServed,
      differs:
        'Not served; `GET /api/v1/models` has the context and the slots of each loaded instance.',
    },
    {
      id: 'llama-slots',
      test: 'test_server_slots',
      users: 'GET /slots lists the slots.',
      request: { path: '/slots' },
      expect: notServed,
      differs:
        'Not served; `GET /api/v1/models` has the number of slots, and `GET /metrics` their use.',
    },
  ],
};

export const llamaTokenize: PeerSuite = {
  ...llama,
  commit: 'ac18090e240036cc0dfc88b4538e38240f965d9f',
  path: 'tools/server/tests/unit/test_tokenize.py',
  cases: [
    {
      id: 'llama-tokenize',
      test: 'test_tokenize_detokenize',
      users: 'POST /tokenize gives the tokens of a text.',
      request: { path: '/tokenize', body: { content: 'What is this?' } },
      expect: notServed,
      differs:
        'Not served; `POST /v1/messages/count_tokens` and `POST /v1/responses/input_tokens` count tokens.',
    },
    {
      id: 'llama-detokenize',
      test: 'test_tokenize_detokenize',
      users: 'POST /detokenize gives the text of tokens.',
      request: { path: '/detokenize', body: { tokens: [300] } },
      expect: notServed,
      differs: 'Not served, as no API of Hearth returns tokens that a client could send back.',
    },
  ],
};

export const llamaOther: PeerSuite = {
  ...llama,
  commit: '2409e9a53bb68680fe40ef3107844decdd6cf087',
  path: 'tools/server/tests/unit/test_infill.py',
  cases: [
    {
      id: 'llama-infill',
      test: 'test_infill_without_input_extra',
      users: 'POST /infill fills a gap.',
      request: { path: '/infill', body: { input_prefix: 'a', input_suffix: 'b' } },
      expect: notServed,
      differs: 'Not served; `POST /v1/completions` with `suffix` fills a gap.',
    },
    {
      id: 'llama-infill-suffix',
      test: 'test_infill_without_input_extra',
      users: 'A model without infill refuses to fill a gap.',
      request: { path: '/v1/completions', body: { model: chat, prompt: 'def', suffix: 'end' } },
      expect: {
        status: 400,
        body: openAiError(/fill in the middle/, { code: 'infill_unsupported' }),
      },
    },
  ],
};

export const llamaSecurity: PeerSuite = {
  ...llama,
  commit: '01dca87bb81848d72919c6e6966a3680abfe3f0a',
  path: 'tools/server/tests/unit/test_security.py',
  cases: [
    {
      id: 'llama-cors',
      test: 'test_cors_options',
      users: 'Pages of all origins may send requests.',
      request: {
        path: '/v1/completions',
        method: 'OPTIONS',
        headers: { origin: 'https://web.example.org', 'access-control-request-method': 'POST' },
      },
      expect: { status: 403, body: { error: { code: 'forbidden' } } },
      differs:
        'Any page that runs on this computer could use the server otherwise; `server.cors` lists the allowed origins.',
    },
    {
      id: 'llama-image-file',
      test: 'test_local_media_file',
      users: 'An image as a `file:` URL is refused.',
      request: see('file:///etc/hostname'),
      expect: { status: 400, body: openAiError(/image/) },
    },
    {
      id: 'llama-key-ignored',
      test: 'test_openai_library_correct_api_key',
      users: 'Clients may send any key to a server without keys.',
      request: { path: '/v1/models', headers: { authorization: 'Bearer sk-any' } },
      expect: { body: { object: 'list' } },
    },
  ],
};

export const llamaVision: PeerSuite = {
  ...llama,
  commit: '25d5b0c53f9a146f3d7a99a18610d9d623b5041e',
  path: 'tools/server/tests/unit/test_vision_api.py',
  cases: [
    {
      id: 'llama-vision-models',
      test: 'test_v1_models_supports_multimodal_capability',
      users: 'Models of the list have `capabilities`.',
      request: { path: '/v1/models' },
      expect: { body: { object: 'list' }, absent: ['models', 'data.0.capabilities'] },
      differs: '`GET /api/v1/models` has capabilities; `/v1/models` has the fields of OpenAI.',
    },
    {
      id: 'llama-vision-malformed',
      test: 'test_vision_chat_completion',
      users: 'A malformed URL of an image is an error.',
      request: see('malformed'),
      expect: { status: 400, body: openAiError(/image/) },
    },
    {
      id: 'llama-vision-url',
      test: 'test_vision_chat_completion',
      users: 'An image may be an https URL.',
      request: see('https://images.example.org/truck.png'),
      expect: { status: 400, body: openAiError(/images\.urlHosts|data/) },
      differs:
        'The server reads URLs only from the hosts of `images.urlHosts`, as they may point into its own network.',
    },
  ],
};

export const llamaMetrics: PeerSuite = {
  ...llama,
  commit: '035019cf5630e012098bac30218fc1eb451178de',
  path: 'tools/server/tests/unit/test_metrics.py',
  cases: [
    {
      id: 'llama-metrics',
      test: 'test_prompt_cache_metrics',
      users: 'GET /metrics has metrics in the text format of Prometheus.',
      request: { path: '/metrics' },
      expect: { headers: { 'content-type': /^text\/plain/ }, body: /^# HELP hearth_/m },
    },
    {
      id: 'llama-metrics-names',
      test: 'test_prompt_cache_metrics',
      users: 'The metrics begin with `llamacpp:`.',
      request: { path: '/metrics' },
      expect: { body: /^(?![^]*llamacpp:)/ },
      differs: 'The metrics describe the whole server, and begin with `hearth_`.',
    },
    {
      id: 'llama-lora',
      test: 'test_lora_per_request (test_lora.py)',
      users: '`lora` sets the scales of adapters for one request.',
      request: {
        path: '/v1/completions',
        body: { model: chat, prompt: 'Hello', lora: [{ id: 0, scale: 0.5 }] },
      },
      expect: { status: 400, body: openAiError(/lora/, { param: 'lora' }) },
      differs: 'Adapters are not supported, and a request that sets one is refused.',
    },
    {
      id: 'llama-lora-adapters',
      test: 'test_lora (test_lora.py)',
      users: 'POST /lora-adapters sets the scales of adapters.',
      request: { path: '/lora-adapters', body: [{ id: 0, scale: 1 }] },
      expect: notServed,
      differs: 'Adapters are not supported.',
    },
    {
      id: 'llama-slot-save',
      test: 'test_slot_save_restore (test_slot_save.py)',
      users: 'POST /slots/{id} saves the cache of a slot to a file.',
      request: { path: '/slots/1?action=save', body: { filename: 'slot1.bin' } },
      expect: notServed,
      differs: 'Hearth saves and restores the state of slots by itself.',
    },
    {
      id: 'llama-cached-tokens',
      test: 'test_slot_save_restore (test_slot_save.py)',
      users: 'A repeated prompt is read from the cache.',
      before: [
        {
          path: '/v1/completions',
          body: { model: chat, prompt: 'Once upon a time the sea', max_tokens: 2 },
        },
      ],
      request: {
        path: '/v1/completions',
        body: { model: chat, prompt: 'Once upon a time the sea', max_tokens: 2 },
      },
      expect: { body: { usage: { prompt_tokens_details: { cached_tokens: z.int().min(3) } } } },
    },
    {
      id: 'llama-router-load',
      test: 'test_router_unload_model (test_router.py)',
      users: 'POST /models/load loads a model.',
      request: { path: '/api/v1/models/load', body: { model: embed } },
      expect: { body: { status: 'loaded', instance_id: text, load_time_seconds: z.number() } },
      differs:
        'The path is `/api/v1/models/load`, and the request waits until the model is loaded.',
    },
    {
      id: 'llama-router-unknown',
      test: 'test_router_chat_completion_stream (test_router.py)',
      users: 'A stream for an unknown model is an error without content.',
      request: {
        path: '/v1/chat/completions',
        body: {
          model: 'non-existent/model',
          stream: true,
          messages: [{ role: 'user', content: 'hello' }],
        },
      },
      expect: {
        status: 404,
        body: openAiError(/non-existent\/model/, { code: 'model_not_found' }),
      },
    },
    {
      id: 'llama-router-autoload',
      test: 'test_router_chat_completion_stream (test_router.py)',
      users: 'A request loads its model.',
      before: [{ path: '/api/v1/models/unload', body: { instance_id: vision } }],
      request: {
        path: '/v1/chat/completions',
        body: { model: vision, max_tokens: 4, messages: [{ role: 'user', content: 'hello' }] },
      },
      expect: {
        body: {
          choices: [{ message: { role: 'assistant', content: anyText } }],
          usage: { completion_tokens: count },
        },
      },
    },
  ],
};
