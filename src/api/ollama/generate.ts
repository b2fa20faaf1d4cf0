import { runCompletion } from '../../chat/run-completion.ts';
import { runTurn } from '../../chat/run-turn.ts';
import type { TurnRequest } from '../../chat/turn-request.ts';
import { generateOllama, type OllamaGenerateRequest } from './generate-schema.ts';
import { findOllamaModel, type NamedModel } from '../../library/ollama/find-model.ts';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import { mount, type App } from '../kit/mount.ts';
import {
  assertSupported,
  is,
  isEmptyObject,
  type UnsupportedField,
} from '../openai/chat/unsupported-fields.ts';
import type { ApiServices } from '../services.ts';
import { answer, prepareModel } from './answer.ts';
import { toGenerateFields } from './answer-lines.ts';
import { toTtlSeconds } from './keep-alive.ts';
import {
  toContextLength,
  toGenerationOptions,
  toReasoning,
  toResponseFormat,
} from './to-generation-options.ts';
import { toContent } from './to-messages.ts';

const unsupported: readonly UnsupportedField[] = [
  {
    name: 'context',
    reason: 'is not supported; /api/chat takes whole conversations.',
    isHarmless: isEmptyObject,
  },
  { name: 'template', reason: "can't replace the chat template of the model.", isHarmless: is('') },
];

export function mountGenerate(app: App, services: ApiServices): void {
  mount(app, generateOllama, async ({ body, context }) => {
    const startedAt = performance.now();
    assertSupported(body, unsupported);
    const found = await findOllamaModel(services.libraryFor(context.caller), body.model);
    const request = {
      model: body.model,
      isStreamed: body.stream !== false,
      startedAt,
      toFields: toGenerateFields,
    };
    const common = {
      ...toContextLength(body.options, found.selection.model),
      ...(body.stream === false ? { isWhole: true } : {}),
      ...omitUndefined({ ttlSeconds: toTtlSeconds(body.keep_alive) }),
    };
    const { prompt, suffix, images } = body;
    if ((prompt ?? '') === '' && (suffix ?? '') === '' && (images ?? []).length === 0) {
      return prepareModel(services, found, common, request, context);
    }
    if (body.raw !== true && (suffix ?? '') === '') {
      const turn = { ...toTurnRequest(body, found), ...common };
      return answer(runTurn(services, turn, context), request, context);
    }
    const completion = {
      ...toGenerationOptions(body),
      ...common,
      model: found.identifier,
      prompt: prompt ?? '',
      waitsForLoad: true,
      ...(suffix == null || suffix === '' ? {} : { suffix }),
    };
    assertSupported(body, unsupportedOfRaw);
    return answer(runCompletion(services, completion, context), request, context);
  });
}

const ofRaw = 'applies to the chat template, which a raw prompt and `suffix` do not use.';
const unsupportedOfRaw: readonly UnsupportedField[] = [
  { name: 'system', reason: ofRaw, isHarmless: is('') },
  { name: 'images', reason: ofRaw, isHarmless: isEmptyObject },
  { name: 'think', reason: ofRaw, isHarmless: is(false) },
  { name: 'format', reason: 'cannot be combined with a raw prompt.', isHarmless: is('') },
];

/** Converts a prompt to a turn with one message. */
function toTurnRequest(
  body: OllamaGenerateRequest,
  { identifier, selection: { model } }: NamedModel,
): TurnRequest {
  const { prompt, images, system } = body;
  return {
    ...toGenerationOptions(body),
    model: identifier,
    messages: [{ role: 'user', content: toContent(prompt, images) }],
    clientTools: [],
    integrations: [],
    isStored: false,
    waitsForLoad: true,
    ...omitUndefined({
      systemPrompt: system === '' ? undefined : system,
      responseFormat: toResponseFormat(body.format),
      reasoning: toReasoning(body.think, model),
    }),
  };
}
