import { HearthError } from '../kernel/errors/errors.ts';
import { visibleTurns } from '../store/turns/removed-parts.ts';
import type { ClientToolCallItem } from '../store/turns/turn-item.ts';
import type { ModelEntry } from '../library/model.ts';
import type { ResponseChain, Store, StoredResponse } from '../store/store.ts';
import type { TurnMessage } from './turn-request.ts';

/** The model that reads a history. */
type HistoryReader = Pick<ModelEntry, 'maxContextLength' | 'tokenizer'>;

export interface History {
  /** Oldest first. */
  readonly responses: readonly StoredResponse[];
  /** The newest system prompt of these responses and older turns. */
  readonly systemPrompt: string | null;
  /** Number of older turns, which were not read because they can't fit into the context. */
  readonly droppedTurns: number;
}

/** The history of a new conversation. */
export const noHistory: History = { responses: [], systemPrompt: null, droppedTurns: 0 };

interface HistoryRequest {
  /** The newest response of the history. */
  readonly newestId: string;
  /** True: leaves out old turns that can't fit. False: refuses the turn. */
  readonly dropsOldTurns?: boolean | undefined;
}

/**
 * Reads the earlier turns of a conversation, only as many as the model's context may hold.
 *
 * @throws HearthError `invalid_value` if the response does not exist or belongs to another owner;
 *   `context_length_exceeded` if the texts can't fit into the context, unless the request drops old turns.
 */
export async function loadHistory(
  store: Store,
  { newestId, dropsOldTurns = false }: HistoryRequest,
  ownerId: string | null,
  model: HistoryReader,
): Promise<History> {
  const check = lengthCheck(model, dropsOldTurns);
  const chain = await store.responses.chain(newestId, ownerId, check);
  if (chain !== undefined) return toHistory(chain);
  throw new HearthError(
    'invalid_value',
    (name) =>
      `${name('previousResponseId')} "${newestId}" is not stored. It may have been deleted or made with "${name('isStored')}": false; start a new conversation, or continue another response.`,
    { field: 'previousResponseId' },
  );
}

function toHistory({ responses, olderCount, olderSystemPrompt }: ResponseChain): History {
  const turns = visibleTurns(responses.map(({ turn }) => turn));
  const visible = responses.map((response, index) => ({
    ...response,
    turn: turns[index] ?? response.turn,
  }));
  const newest = visible.findLast(({ turn }) => turn.systemPrompt !== null);
  // The first turn must not begin with results of calls that were not read.
  const first = olderCount === 0 ? 0 : visible.findIndex(({ turn }) => beginsWithUser(turn));
  return {
    responses: visible.slice(Math.max(0, first)),
    systemPrompt: newest?.turn.systemPrompt ?? olderSystemPrompt,
    droppedTurns: olderCount + Math.max(0, first),
  };
}

function beginsWithUser({ messages }: StoredResponse['turn']): boolean {
  return messages.find(({ role }) => role !== 'system')?.role === 'user';
}

/**
 * Computes a lower bound for the tokens of turns while they are read.
 *
 * @param dropsOldTurns True: ends the reading when the context is exceeded. False: refuses the turn.
 */
function lengthCheck(
  { maxContextLength: maxTokens, tokenizer }: HistoryReader,
  dropsOldTurns: boolean,
): (response: StoredResponse) => boolean {
  if (tokenizer?.keeps !== 'bytes') return () => true;
  let characters = 0;
  return ({ turn }) => {
    characters += promptCharacters(turn);
    // A character has at least one byte.
    const tokens = Math.ceil(characters / tokenizer.longestTokenBytes);
    if (tokens <= maxTokens) return true;
    if (dropsOldTurns) return false;
    throw new HearthError(
      'context_length_exceeded',
      `The conversation has at least ${tokens} tokens; the context of the model holds ${maxTokens}.`,
      { promptSize: { tokens, isLowerBound: true, maxTokens } },
    );
  };
}

/** Counts the characters of texts that every prompt of the conversation includes. */
function promptCharacters({ messages, items }: StoredResponse['turn']): number {
  let characters = 0;
  for (const { content } of messages) {
    for (const part of content) if (part.type === 'text') characters += part.text.length;
  }
  for (const item of items) if (item.type === 'message') characters += item.text.length;
  return characters;
}

/**
 * Checks that a turn has results for exactly the calls that the previous turn left to the client.
 *
 * @throws HearthError `invalid_value`.
 */
export function assertToolResults(
  history: readonly StoredResponse[],
  messages: readonly TurnMessage[],
): void {
  const previous = history.at(-1);
  if (previous === undefined) return;
  const pending = previous.turn.items.filter(
    (item): item is ClientToolCallItem => item.type === 'clientToolCall',
  );
  const known = new Set(pending.map(({ id }) => id));
  const missing = new Set(known);
  for (const [index, message] of messages.entries()) {
    if (message.role === 'assistant') for (const { id } of message.toolCalls ?? []) known.add(id);
    if (message.role !== 'tool') continue;
    missing.delete(message.toolCallId);
    if (known.has(message.toolCallId)) continue;
    throw new HearthError(
      'invalid_value',
      (name) =>
        `There is no tool call ${JSON.stringify(message.toolCallId)} in ${name('previousResponseId')} "${previous.id}".`,
      { field: `messages[${index}].toolCallId` },
    );
  }
  if (missing.size === 0) return;
  throw new HearthError(
    'invalid_value',
    (name) =>
      `${name('previousResponseId')} "${previous.id}" waits for the results of tool calls: ${[...missing].join(', ')}. It continues only with a result for each of them, in the API that made the calls.`,
    { field: 'messages' },
  );
}
