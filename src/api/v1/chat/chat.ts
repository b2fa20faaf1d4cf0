import type { TurnRequest } from '../../../chat/turn-request.ts';
import type { TurnEvent } from '../../../chat/turn-event.ts';
import { runTurn } from '../../../chat/run-turn.ts';
import { type HearthError, invalidValue } from '../../../kernel/errors/errors.ts';
import type { ChatRequest, ChatResult } from './chat-schema.ts';
import { type ChatEvent, createChat } from './chat-event-schema.ts';
import { omitUndefined } from '../../../kernel/omit-undefined.ts';
import type { RequestContext } from '../../../kernel/request/request-context.ts';
import { unstoredResult } from '../../kit/errors/error-response.ts';
import { type App, mount } from '../../kit/mount.ts';
import { eventStream, type SseMessage } from '../../kit/stream/sse.ts';
import { collect, valuesOf } from '../../kit/stream/collect.ts';
import { openStream, type StreamFormat } from '../../kit/stream/open-stream.ts';
import type { ApiServices } from '../../services.ts';
import { v1Errors } from '../errors.ts';
import { followTurn, toChatEvent } from './to-chat-event.ts';
import { toChatResult } from './to-chat-result.ts';
import { findPreset, withPresetFields } from '../presets/use-preset.ts';
import { toTurnRequest } from './to-turn-request.ts';
import type { StoredProject } from '../../../store/project.ts';
import { projectContent, projectOfChat } from '../projects/project-content.ts';
import type { Preset } from '../presets/preset-schema.ts';
import type { Store } from '../../../store/store.ts';
import { conversationNotFound } from '../conversations/conversations.ts';

export function mountChat(app: App, services: ApiServices): void {
  mount(app, createChat, async ({ body, context }) => {
    const { store, waitingCalls } = services;
    const { conversation_id: conversation, previous_response_id: previous } = body;
    const conversationId =
      conversation == null
        ? undefined
        : await namedConversation(store, body, conversation, context);
    const project =
      body.project_id == null
        ? undefined
        : await projectOfChat(store, body, body.project_id, context);
    const named = body.preset ?? project?.preset;
    const preset = named == null ? undefined : await findPreset(store, named, context);
    const chat =
      project === undefined && preset === undefined ? body : completed(body, project, preset);
    const mayHaveFiles = project !== undefined || previous != null || conversation != null;
    const files = mayHaveFiles ? await projectContent(services, chat, project, context) : undefined;
    // Without a stream, the client does not see the questions.
    const approveCalls =
      body.tool_approvals === true ? waitingCalls.gate(body.stream === true) : undefined;
    const request = {
      ...toTurnRequest(chat, files),
      ...omitUndefined({ conversationId, approveCalls }),
      begun: omitUndefined({ projectId: project?.id, isTemporary: body.temporary }),
    };
    return answerTurn(services, body, request, context);
  });
}

/** Adds a preset's values to a chat and, if it has no system prompt, its project's instructions. */
function completed(
  body: ChatRequest,
  project: StoredProject | undefined,
  preset: Preset | undefined,
): ChatRequest {
  const instructions = project?.instructions || undefined;
  const chat = { ...body, ...omitUndefined({ system_prompt: body.system_prompt ?? instructions }) };
  return preset === undefined ? chat : withPresetFields(chat, preset);
}

/** Runs a turn as requested: streamed or not, with its client or in the background. */
export async function answerTurn(
  services: ApiServices,
  body: Pick<ChatRequest, 'stream' | 'background' | 'store'>,
  request: TurnRequest,
  context: RequestContext,
): Promise<ChatResult | Response> {
  if (body.background === true) return runInBackground(services, body, request, context);
  const events = runTurn(services, request, context);
  if (body.stream !== true) return collectResult(events);
  return eventStream(await openStream(events, format, context), context);
}

/** The turn continues if the client disconnects; its events can be replayed. */
async function runInBackground(
  services: ApiServices,
  body: Pick<ChatRequest, 'stream' | 'store'>,
  turnRequest: TurnRequest,
  context: RequestContext,
): Promise<ChatResult | Response> {
  if (body.store === false) {
    throw invalidValue('background', '`background` requires `store`: omit it, or set it to true.');
  }
  const request = { ...turnRequest, waitsForLoad: true };
  const turn = await services.background.start(services, request, context);
  if (body.stream === true) return followTurn(turn, -1, context);
  return collectResult(valuesOf(turn.events(-1, context.signal)));
}

/** If the answer could not be stored, the response has both the error and the answer, as in a stream. */
async function collectResult(events: AsyncIterable<TurnEvent>): Promise<ChatResult | Response> {
  const { results, storageFailure } = await collect(events);
  const result = toChatResult(results[0]);
  if (storageFailure === undefined) return result;
  return unstoredResult(storageFailure, v1Errors, result);
}

const format: StreamFormat<TurnEvent, SseMessage> = {
  write: (event) => {
    const wire = toChatEvent(event);
    return wire === undefined ? [] : [toMessage(wire)];
  },
  fail: (error) => [toMessage({ type: 'error', error: v1Errors.serialize(error).body.error })],
};

function toMessage(event: ChatEvent): SseMessage {
  return { event: event.type, data: JSON.stringify(event) };
}

/**
 * The conversation in which the message begins another branch. Undefined if the caller can only read it: as with
 * `previous_response_id`, the response then belongs to a conversation of the caller.
 *
 * @throws HearthError `invalid_value`, `conversation_not_found`.
 */
async function namedConversation(
  store: Store,
  { previous_response_id: previous, store: isStored }: ChatRequest,
  id: string,
  { caller }: RequestContext,
): Promise<string | undefined> {
  if (previous != null) {
    throw invalid('`conversation_id`: `previous_response_id` decides it: leave one of them out.');
  }
  if (isStored === false) throw invalid('`conversation_id` requires `store`: leave it out.');
  const head = await store.conversations.head(id, caller.tokenId);
  if (head === undefined) throw conversationNotFound(id);
  return head.ownerId === caller.tokenId ? id : undefined;
}

function invalid(message: string): HearthError {
  return invalidValue('conversation_id', message);
}
