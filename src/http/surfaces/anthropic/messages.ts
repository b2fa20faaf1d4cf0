import { countTurnTokens } from '../../../chat/count-tokens.ts';
import { runTurn } from '../../../chat/run-turn.ts';
import type { TurnEvent, TurnResult } from '../../../chat/turn-event.ts';
import type { TurnRequest } from '../../../chat/turn-request.ts';
import {
  countTokensAnthropic,
  createMessageAnthropic,
  type AnthropicMessageEvent,
} from '../../../contract/anthropic/message.ts';
import type {
  AnthropicCountTokensRequest,
  AnthropicMessageRequest,
} from '../../../contract/anthropic/message-request.ts';
import { HearthError } from '../../../contract/errors.ts';
import { omitUndefined } from '../../../omit-undefined.ts';
import type { RequestContext } from '../../../request/request-context.ts';
import { toStreamError } from '../../openai/stream-error.ts';
import { mount, type App } from '../../mount.ts';
import { readAhead } from '../../openai/choices.ts';
import { eventStream, type SseMessage } from '../../sse.ts';
import type { SurfaceServices } from '../services.ts';
import { anthropicErrors } from './errors.ts';
import { toMessageEvents } from './message-events.ts';
import { toDisplay } from './thinking.ts';
import { toConversation, type Conversation } from './to-conversation.ts';
import { messageHead, toMessage } from './to-message.ts';
import { toTurnRequest } from './to-turn-request.ts';

export function mountMessages(app: App, services: SurfaceServices): void {
  mount(app, createMessageAnthropic, async ({ body, context }) => {
    const { request, conversation } = await readRequest(services, body);
    const events = withPaths(runTurn(services, request, context), conversation);
    const head = messageHead(body.model);
    const display = toDisplay(body);
    if (body.stream !== true) return toMessage(await collect(events), head, display);
    const ready = await readAhead(events, isReady);
    const messages = toSseMessages(toMessageEvents(ready, head, display), context);
    return eventStream(messages, { ...context, heartbeat: toSseMessage({ type: 'ping' }) });
  });

  mount(app, countTokensAnthropic, async ({ body, context }) => {
    const { request, conversation } = await readRequest(services, body);
    try {
      return { input_tokens: await countTurnTokens(services, request, context) };
    } catch (error) {
      throw error instanceof HearthError ? withPath(error, conversation) : error;
    }
  });
}

async function readRequest(
  { pool }: SurfaceServices,
  body: AnthropicCountTokensRequest & Partial<AnthropicMessageRequest>,
): Promise<{ readonly request: TurnRequest; readonly conversation: Conversation }> {
  const target = await pool.resolve(body.model, 'generation');
  const conversation = toConversation(body.messages);
  const request = { ...toTurnRequest(body, conversation, target.selection.model), target };
  return { request, conversation };
}

/** Errors of the turn name parts of its messages; the client knows them by their paths in the request. */
async function* withPaths(
  events: AsyncGenerator<TurnEvent>,
  conversation: Conversation,
): AsyncGenerator<TurnEvent> {
  try {
    for await (const event of events) {
      const isError = event.type === 'turn.error';
      yield isError ? { ...event, error: withPath(event.error, conversation) } : event;
    }
  } catch (error) {
    throw error instanceof HearthError ? withPath(error, conversation) : error;
  }
}

function withPath(error: HearthError, { pathOf }: Conversation): HearthError {
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

async function collect(events: AsyncIterable<TurnEvent>): Promise<TurnResult> {
  let result: TurnResult | undefined;
  for await (const event of events) {
    if (event.type === 'turn.error') throw event.error;
    if (event.type === 'turn.end') ({ result } = event);
  }
  if (result === undefined) throw new Error('The turn ended without turn.end');
  return result;
}

/** Whether the stream can begin: the engine has accepted the prompt. A failure until then has its own status. */
function isReady(event: TurnEvent): boolean {
  if (event.type === 'turn.error') throw event.error;
  return (
    event.type === 'prompt.progress' || event.type.endsWith('.delta') || event.type === 'turn.end'
  );
}

/** Events with their types as names; a failure is a last event with the error's body. */
async function* toSseMessages(
  events: AsyncIterable<AnthropicMessageEvent>,
  context: RequestContext,
): AsyncGenerator<SseMessage> {
  try {
    for await (const event of events) yield toSseMessage(event);
  } catch (error) {
    const failure = toStreamError(error, context);
    yield toSseMessage(anthropicErrors.serialize(failure, context.requestId).body);
  }
}

function toSseMessage(event: AnthropicMessageEvent): SseMessage {
  return { event: event.type, data: JSON.stringify(event) };
}
