import { describe, expect, it } from 'vitest';
import type { ChatGeneration, GenerationRequest } from '../../engine.ts';
import { wireCall } from '../wire/request-body.ts';
import {
  mlxDialect,
  mlxFailure,
  mlxModelName,
  toMlxRequest,
  type MlxModel,
} from './mlx-dialect.ts';

const chat: ChatGeneration = {
  kind: 'chat',
  messages: [{ role: 'user', content: 'Hello!' }],
  sampling: {},
};
const model = { contextLength: 2048 };
const mlxCall = (request: GenerationRequest, known: MlxModel) =>
  wireCall(toMlxRequest(request, known), mlxDialect, mlxModelName);
const bodyOf = (request: GenerationRequest, ...[known = model]: MlxModel[]) =>
  JSON.parse(JSON.stringify(mlxCall(request, known).body)) as unknown;
const image = { type: 'image', dataUrl: 'data:image/png;base64,' } as const;

describe('the request of a generation', () => {
  it('asks for the whole context, and keeps stop strings to itself', () => {
    const { path } = mlxCall(chat, model);
    expect(path).toBe('/v1/chat/completions');
    expect(bodyOf({ ...chat, stop: ['x'] })).toEqual({
      model: 'default_model',
      stream: true,
      stream_options: { include_usage: true },
      max_tokens: 2048,
      messages: [{ role: 'user', content: 'Hello!' }],
    });
  });

  it('translates sampling into the ranges of the server', () => {
    const sampling = { temperature: 0.5, topK: -1, repeatPenalty: 1.1, seed: -1 };
    expect(bodyOf({ ...chat, sampling: { ...sampling, repeatLastTokens: -1 } })).toMatchObject({
      temperature: 0.5,
      top_k: 0,
      repetition_penalty: 1.1,
      repetition_context_size: 2048,
    });
    const none = bodyOf({ ...chat, sampling: { ...sampling, repeatLastTokens: 0 } });
    expect(none).not.toHaveProperty('repetition_penalty');
    expect(none).not.toHaveProperty('seed');
  });

  it('reasons as the model does by default, unless a request says how', () => {
    const reasoning = { contextLength: 2048, reasonsByDefault: false };
    const off = { chat_template_kwargs: { enable_thinking: false } };
    expect(bodyOf(chat, reasoning)).toMatchObject(off);
    expect(bodyOf({ ...chat, reasoning: 'on' }, reasoning)).toMatchObject({
      chat_template_kwargs: { enable_thinking: true },
    });
  });

  it('leaves out tools that must not be called, as the server would offer them', () => {
    const tools = [{ name: 'wait', parameters: {} }];
    expect(bodyOf({ ...chat, tools, toolChoice: 'none' })).not.toHaveProperty('tools');
    expect(bodyOf({ ...chat, tools })).toHaveProperty('tools');
  });

  const completion = { kind: 'completion', prompt: 'x', sampling: {} } as const;
  const refused: readonly (readonly [string, GenerationRequest, string, RegExp])[] = [
    [
      'a JSON schema',
      { ...chat, responseFormat: { type: 'json_schema', schema: {} } },
      'responseFormat',
      /JSON schema.*no grammars/,
    ],
    ['JSON', { ...chat, responseFormat: { type: 'json_object' } }, 'responseFormat', /in JSON/],
    [
      'images',
      { ...chat, messages: [{ role: 'user', content: [image] }] },
      'messages',
      /images.*reads text only/,
    ],
    ['log probabilities', { ...chat, topLogprobs: 2 }, 'topLogprobs', /log probabilities/],
    [
      'log probabilities of a completion',
      { ...completion, topLogprobs: 0 },
      'topLogprobs',
      /log probabilities/,
    ],
    [
      'a forced call',
      { ...chat, tools: [{ name: 'x', parameters: {} }], toolChoice: 'required' },
      'toolChoice',
      /the engine of MLX models/,
    ],
    ['tokens', { ...completion, prompt: [1] }, 'prompt', /must be a text/],
    ['infill', { ...completion, suffix: 'y' }, 'suffix', /the engine of MLX models/],
  ];
  it.each(refused)('refuses %s by its name', (_, request, field, message) => {
    expect(() => mlxCall(request, model)).toThrow(
      expect.objectContaining({ field, message: expect.stringMatching(message) as string }),
    );
  });
});

describe('mlxFailure', () => {
  it('tells by how much a prompt is too long', () => {
    const error = 'The prompt has 12008 tokens; the context length is 2048.';
    expect(mlxFailure({ status: 404, body: { error } })).toMatchObject({
      code: 'context_length_exceeded',
      promptSize: { tokens: 12_008, maxTokens: 2048 },
    });
  });

  it.each([
    [404, { error: 'bad template' }, 'invalid_value', /bad template/],
    [400, 'x', 'invalid_value', /no reason given/],
    [500, { error: 'x' }, 'internal', /status 500/],
  ])('maps %s', (status, body, code, message) => {
    const failure = mlxFailure({ status, body });
    expect(failure).toMatchObject({ code });
    expect(failure.message).toMatch(message);
  });
});
