import { createLlamaDialect } from '../../../src/engines/backends/llama-server/llama-dialect.ts';
import { mlxDialect } from '../../../src/engines/backends/mlx/mlx-dialect.ts';
import { kindsOfServers } from '../../../src/engines/backends/remote/kinds.ts';
import {
  UpstreamBroken,
  UpstreamRefusal,
} from '../../../src/engines/backends/remote/upstream-failure.ts';
import { StreamDecoder } from '../../../src/engines/backends/wire/stream-decoder.ts';
import type { GenerationRequest } from '../../../src/engines/engine.ts';
import { HearthError } from '../../../src/kernel/errors/errors.ts';
import type { FuzzTarget } from '../fuzz-target.ts';

const llamaDialect = createLlamaDialect([]);

const tools = [{ name: 'get_weather', parameters: { type: 'object' } }];
const chat = { kind: 'chat', messages: [], sampling: {} } as const;
const requests: readonly GenerationRequest[] = [
  chat,
  { ...chat, tools },
  { ...chat, tools, toolChoice: 'required', callsInParallel: false },
  { ...chat, tools, responseFormat: { type: 'json_schema', schema: { type: 'object' } } },
  { ...chat, stop: ['END', '\n\n'] },
  { kind: 'completion', prompt: 'Once', sampling: {}, stop: ['END'] },
];
const dialects = [
  llamaDialect,
  mlxDialect,
  ...Object.values(kindsOfServers).map(({ dialect }) => dialect),
];

const delta = (fields: object) => ({ choices: [{ index: 0, finish_reason: null, delta: fields }] });
const call = { index: 0, id: 'call_1', function: { name: 'get_weather', arguments: '{"city":' } };
const answers: readonly (readonly object[])[] = [
  [
    delta({ role: 'assistant', content: null }),
    delta({ reasoning_content: 'Let me see.' }),
    delta({ content: 'A<think>B</think>C' }),
    { choices: [{ index: 0, finish_reason: 'stop', delta: {} }], __verbose: { stop_type: 'eos' } },
    { choices: [], usage: { prompt_tokens: 3, completion_tokens: 4 } },
    { choices: [], timings: { cache_n: 1, prompt_n: 2, prompt_ms: 1.5, predicted_n: 7 } },
  ],
  [
    { prompt_progress: { total: 30, cache: 10, processed: 20, time_ms: 1 } },
    delta({ tool_calls: [call] }),
    delta({ tool_calls: [{ index: 0, function: { arguments: '"Oslo"}' } }] }),
    { choices: [{ index: 0, finish_reason: 'tool_calls', delta: {} }] },
  ],
  [delta({ content: '<tool_call>{"name":"get_weather","arguments":{"city":"Oslo"}}</tool_call>' })],
  [
    {
      choices: [
        {
          index: 0,
          text: 'Once END',
          logprobs: { content: [{ token: 'a', bytes: [97], logprob: -1, top_logprobs: [] }] },
        },
      ],
    },
    { error: { code: 500, type: 'server_error', message: 'Failed to parse input at pos 12' } },
  ],
];

/** Streams of engines and remote servers. The first two bytes choose the kind of server and request. */
export const upstreams: FuzzTarget = {
  seeds: async () =>
    answers.flatMap((events) =>
      requests.map((_, request) => {
        const data = [...events.map((event) => JSON.stringify(event)), '[DONE]'];
        const frames = data.map((text) => `data: ${text}\n\n`).join('');
        return Buffer.concat([
          Buffer.from([request % dialects.length, request]),
          Buffer.from(frames),
        ]);
      }),
    ),
  words: [
    'data: ',
    ': ping\n\n',
    'event: error\n',
    '[DONE]',
    'finish_reason',
    'length',
    'tool_calls',
    'content',
    'reasoning',
    'reasoning_content',
    'usage',
    'timings',
    'error',
    'stop_type',
    'stopping_word',
    '<think>',
    '</think>',
    '<tool_call>',
    '</tool_call>',
    '[TOOL_CALLS]',
    '<function=get_weather>',
    '<|python_tag|>',
    'logprobs',
    'token_ids',
  ],
  run: (input) => {
    const [first = 0, second = 0] = input;
    const dialect = dialects[first % dialects.length] ?? llamaDialect;
    const decoder = new StreamDecoder(requests[second % requests.length] ?? chat, dialect);
    const pieceBytes = 1 + ((first * 31 + second) % 97);
    for (let start = 2; start < input.length; start += pieceBytes) {
      decoder.decode([input.subarray(start, start + pieceBytes)]);
    }
    decoder.end();
  },
  isDeclared: (error) =>
    error instanceof HearthError ||
    error instanceof UpstreamBroken ||
    error instanceof UpstreamRefusal,
};
