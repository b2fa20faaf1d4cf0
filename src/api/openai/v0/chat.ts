import type { TurnRequest } from '../../../chat/turn-request.ts';
import {
  createChatCompletionV0,
  type V0ChatChunk,
  type V0ChatRequest,
  type V0ChatResult,
} from './chat-completion-schema.ts';
import type { ReasoningLevel, ToolChoice } from '../../../engines/engine.ts';
import { omitUndefined } from '../../../kernel/omit-undefined.ts';
import { toMessage, toTools } from '../chat/to-messages.ts';
import { assertSupported, unsupportedChatFields } from '../chat/unsupported-fields.ts';
import { toResponseFormat } from '../chat/response-format.ts';
import { toGenerationOptions } from '../chat/to-generation-options.ts';
import type { TurnEvent, TurnResult } from '../../../chat/turn-event.ts';
import {
  toChatDelta,
  toFinishReason,
  toV0Logprobs,
  toChatMessage,
  completionHead,
} from '../chat/choice-fields.ts';
import { type ChunkFormat, toReport, toStreamFormat } from './report.ts';
import { runTurn } from '../../../chat/run-turn.ts';
import { type App, mount } from '../../kit/mount.ts';
import { runChoices } from '../chat/choices.ts';
import { withFileTexts } from '../chat/read-files.ts';
import { toReasoning } from '../chat/reasoning.ts';
import { eventStream } from '../../kit/stream/sse.ts';
import { collect } from '../../kit/stream/collect.ts';
import { openStream } from '../../kit/stream/open-stream.ts';
import type { ApiServices } from '../../services.ts';

/**
 * Converts a chat completion to a turn: the whole conversation, with client-side tools, not stored.
 *
 * @param reasoning The reasoning level for the request's fields.
 * @throws HearthError `invalid_value` for fields that can't be honored.
 */
export function toTurnRequest(body: V0ChatRequest, reasoning?: ReasoningLevel): TurnRequest {
  assertSupported(body, unsupportedChatFields);
  return {
    ...toGenerationOptions(body),
    messages: body.messages.map(toMessage),
    clientTools: toTools(body.tools),
    integrations: [],
    isStored: false,
    ...omitUndefined({
      toolChoice: toToolChoice(body),
      callsInParallel: body.parallel_tool_calls,
      reasoning,
      responseFormat: toResponseFormat(body),
      topLogprobs: body.logprobs === true ? (body.top_logprobs ?? 0) : undefined,
    }),
  };
}

function toToolChoice({ tool_choice: choice }: V0ChatRequest): ToolChoice | undefined {
  if (choice == null) return undefined;
  return typeof choice === 'string' ? choice : { name: choice.function.name };
}

type Choice = V0ChatChunk['choices'][number];

/** The chunk format of one chat completion; the first delta has the role. */
export function createChatChunks(): ChunkFormat<TurnEvent, Choice> {
  let isFirst = true;
  const toChoice = (delta: Choice['delta']): Choice => {
    const role = isFirst ? ({ role: 'assistant' } as const) : {};
    isFirst = false;
    return { index: 0, delta: { ...role, ...delta }, logprobs: null, finish_reason: null };
  };
  return {
    idPrefix: 'chatcmpl',
    object: 'chat.completion.chunk',
    toChoice: ({ event }) => {
      if (event.type === 'turn.end') {
        return { ...toChoice({}), finish_reason: toFinishReason(event.result) };
      }
      const delta = toChatDelta(event);
      if (delta === undefined) return undefined;
      const logprobs = event.type === 'message.delta' ? event.logprobs : undefined;
      return { ...toChoice(delta), logprobs: toV0Logprobs(logprobs) };
    },
  };
}

export function toV0ChatResult(result: TurnResult): V0ChatResult {
  return {
    ...completionHead('chatcmpl', 'chat.completion'),
    model: result.selection.model.key,
    choices: [
      {
        index: 0,
        logprobs: toV0Logprobs(result.logprobs),
        finish_reason: toFinishReason(result),
        message: { role: 'assistant', ...toChatMessage(result.items) },
      },
    ],
    ...toReport([result]),
  };
}

export function mountChatCompletions(app: App, services: ApiServices): void {
  mount(app, createChatCompletionV0, async ({ body, context }) => {
    const target = await services.pool.resolve(
      body.model ?? undefined,
      'generation',
      context.caller,
    );
    const reasoning = toReasoning(target.selection.model, body);
    const read = await withFileTexts(services, body, context);
    const request = { ...toTurnRequest(read, reasoning), target };
    const events = runChoices(1, (_, own) => runTurn(services, request, own), context);
    if (body.stream !== true) return toV0ChatResult((await collect(events)).results[0]);
    const format = toStreamFormat(createChatChunks());
    return eventStream(await openStream(events, format, context), context);
  });
}
