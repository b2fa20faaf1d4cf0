import { countTurnTokens } from '../../chat/count-tokens.ts';
import { runTurn } from '../../chat/run-turn.ts';
import type { TurnEvent } from '../../chat/turn-event.ts';
import type { TurnRequest } from '../../chat/turn-request.ts';
import { countTokensAnthropic, createMessageAnthropic } from './message-schema.ts';
import type {
  AnthropicCountTokensRequest,
  AnthropicMessageRequest,
} from './message-request-schema.ts';
import { HearthError } from '../../kernel/errors/errors.ts';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import type { RequestContext } from '../../kernel/request/request-context.ts';
import { mount, type App } from '../kit/mount.ts';
import { eventStream, type SseMessage } from '../kit/stream/sse.ts';
import { collect } from '../kit/stream/collect.ts';
import { openStream, type StreamFormat } from '../kit/stream/open-stream.ts';
import type { ApiServices } from '../services.ts';
import { defaultReasoning } from '../../chat/reasoning.ts';
import { findPreset, withPreset } from '../v1/presets/use-preset.ts';
import { anthropicErrors } from './errors.ts';
import { MessageRecorder } from './message-events.ts';
import { withDocumentTexts } from './read-documents.ts';
import { toDisplay } from './thinking.ts';
import { toConversation, type Conversation } from './to-conversation.ts';
import { messageHead, toMessage } from './to-message.ts';
import { toTurnRequest } from './to-turn-request.ts';

export function mountMessages(app: App, services: ApiServices): void {
  mount(app, createMessageAnthropic, async ({ body, context }) => {
    const { request, conversation } = await readRequest(services, body, context);
    const head = messageHead(body.model);
    const display = toDisplay(body);
    const events = runTurn(services, request, context);
    try {
      if (body.stream !== true) return toMessage((await collect(events)).results[0], head, display);
      const recorder = new MessageRecorder(head, display);
      const format: StreamFormat<TurnEvent, SseMessage> = {
        write: (event) => recorder.record(event).map(toSseMessage),
        fail: (error) => [toErrorMessage(withPath(error, conversation), context)],
      };
      const messages = await openStream(events, format, context);
      return eventStream(messages, { ...context, heartbeat: toSseMessage({ type: 'ping' }) });
    } catch (error) {
      throw withPath(error, conversation);
    }
  });

  mount(app, countTokensAnthropic, async ({ body, context }) => {
    const { request, conversation } = await readRequest(services, body, context);
    try {
      return { input_tokens: await countTurnTokens(services, request, context) };
    } catch (error) {
      throw withPath(error, conversation);
    }
  });
}

async function readRequest(
  services: ApiServices,
  body: AnthropicCountTokensRequest & Partial<AnthropicMessageRequest>,
  context: RequestContext,
): Promise<{ readonly request: TurnRequest; readonly conversation: Conversation }> {
  const { pool, store } = services;
  const target = await pool.resolve(body.model, 'generation', context.caller);
  const conversation = toConversation(await withDocumentTexts(services, body.messages, context));
  const preset = await findPreset(store, body.preset, context);
  const turn = withPreset(toTurnRequest(body, conversation, target.selection.model), preset);
  const reasoning =
    body.thinking == null ? (preset?.reasoning ?? defaultReasoning(target)) : undefined;
  return { request: { ...turn, ...omitUndefined({ reasoning }), target }, conversation };
}

/** Names a message part by its path in the request, since errors of the turn name it by its position in the turn. */
function withPath<Failure>(error: Failure, { pathOf }: Conversation): Failure | HearthError {
  if (!(error instanceof HearthError)) return error;
  const [, message, part] = /^messages\[(\d+)\]\.content\[(\d+)\]/.exec(error.field ?? '') ?? [];
  const param = part === undefined ? undefined : pathOf(Number(message), Number(part));
  if (param === undefined) return error;
  const { retryAfterSeconds } = error;
  return new HearthError(error.code, (name) => error.describe(name), {
    param,
    cause: error,
    ...omitUndefined({ retryAfterSeconds }),
  });
}

function toErrorMessage(error: HearthError, { requestId }: RequestContext): SseMessage {
  return toSseMessage(anthropicErrors.serialize(error, requestId).body);
}

function toSseMessage(event: { readonly type: string }): SseMessage {
  return { event: event.type, data: JSON.stringify(event) };
}
