import { runTurn } from '../../chat/run-turn.ts';
import type { TurnRequest } from '../../chat/turn-request.ts';
import { chatOllama, type OllamaChatRequest } from './chat-schema.ts';
import { findOllamaModel, type NamedModel } from '../../library/ollama/find-model.ts';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import { mount, type App } from '../kit/mount.ts';
import type { ApiServices } from '../services.ts';
import { answer, prepareModel } from './answer.ts';
import { toChatFields } from './answer-lines.ts';
import { toTtlSeconds } from './keep-alive.ts';
import {
  toContextLength,
  toGenerationOptions,
  toReasoning,
  toResponseFormat,
} from './to-generation-options.ts';
import { toMessages } from './to-messages.ts';

export function mountChat(app: App, services: ApiServices): void {
  mount(app, chatOllama, async ({ body, context }) => {
    const startedAt = performance.now();
    const found = await findOllamaModel(services.libraryFor(context.caller), body.model);
    const request = {
      model: body.model,
      isStreamed: body.stream !== false,
      startedAt,
      toFields: toChatFields,
    };
    if ((body.messages ?? []).length === 0) {
      const load = {
        ...toContextLength(body.options, found.selection.model),
        ...omitUndefined({ ttlSeconds: toTtlSeconds(body.keep_alive) }),
      };
      return prepareModel(services, found, load, request, context);
    }
    const events = runTurn(services, toTurnRequest(body, found), context);
    return answer(events, request, context);
  });
}

/** Converts a chat request to a turn: the whole conversation, with client-side tools. */
export function toTurnRequest(
  body: OllamaChatRequest,
  { identifier, selection: { model } }: NamedModel,
): TurnRequest {
  const tools = (body.tools ?? []).map(({ function: { name, description, parameters } }) => ({
    name,
    ...omitUndefined({ description }),
    parameters: parameters ?? { type: 'object', properties: {} },
  }));
  return {
    ...toGenerationOptions(body),
    ...toContextLength(body.options, model),
    model: identifier,
    messages: toMessages(body.messages ?? []),
    clientTools: tools,
    integrations: [],
    isStored: false,
    waitsForLoad: true,
    ...(body.stream === false ? { isWhole: true } : {}),
    ...omitUndefined({
      ttlSeconds: toTtlSeconds(body.keep_alive),
      responseFormat: toResponseFormat(body.format),
      reasoning: toReasoning(body.think, model),
    }),
  };
}
