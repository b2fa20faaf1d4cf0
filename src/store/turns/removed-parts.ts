import type { ConversationMessage } from './content.ts';
import type { ConversationTurn, TurnPart } from './conversation-turn.ts';
import type { TurnItem } from './turn-item.ts';

/** A part of a turn's input: an answer to a call, a message, or a tool call within a message. */
export type InputPart =
  | { readonly type: 'approval'; readonly index: number }
  | { readonly type: 'message'; readonly index: number }
  | { readonly type: 'call'; readonly index: number; readonly callIndex: number };

/** The parts of an input in order, including removed ones. */
export function inputParts({
  messages,
  approvals = [],
}: Pick<ConversationTurn, 'messages' | 'approvals'>): readonly InputPart[] {
  const parts: InputPart[] = approvals.map((_, index) => ({ type: 'approval', index }));
  for (const [index, message] of messages.entries()) {
    const calls = callsOf(message);
    if (message.content.length > 0 || calls.length === 0) parts.push({ type: 'message', index });
    for (const callIndex of calls.keys()) parts.push({ type: 'call', index, callIndex });
  }
  return parts;
}

/** True if a part was removed. */
export function isRemoved({ removed = [] }: ConversationTurn, { of, position }: TurnPart): boolean {
  return removed.some((part) => part.of === of && part.position === position);
}

/** Removes the content of a part; the other parts keep their positions. */
export function withoutPart(turn: ConversationTurn, part: TurnPart): ConversationTurn {
  const removed = [...(turn.removed ?? []), part];
  if (part.of === 'items') {
    const items = turn.items.map((item, index) => (index === part.position ? emptied(item) : item));
    return { ...turn, items, removed };
  }
  const found = inputParts(turn)[part.position];
  if (found === undefined) return turn;
  if (found.type === 'approval') {
    const approvals = turn.approvals?.map((approval, index) => {
      if (index !== found.index) return approval;
      const { requestId, isApproved } = approval;
      return { requestId, isApproved };
    });
    return { ...turn, ...(approvals === undefined ? {} : { approvals }), removed };
  }
  const messages = turn.messages.map((message, index) => {
    if (index !== found.index) return message;
    // An empty text keeps the message's position.
    if (found.type === 'message') return { ...message, content: [{ type: 'text', text: '' }] };
    const toolCalls = callsOf(message).map((call, callIndex) =>
      callIndex === found.callIndex ? { id: call.id, name: '', argumentsJson: '' } : call,
    );
    return { ...message, toolCalls };
  }) as readonly ConversationMessage[];
  return { ...turn, messages, removed };
}

/** Turns without their removed parts. Also omits a call if its result was removed, and a result if its call was. */
export function visibleTurns(turns: readonly ConversationTurn[]): readonly ConversationTurn[] {
  if (turns.every(({ removed = [] }) => removed.length === 0)) return turns;
  const callIds = new Set(turns.flatMap(removedCallIds));
  return turns.map((turn) => visibleTurn(turn, callIds));
}

function visibleTurn(turn: ConversationTurn, callIds: ReadonlySet<string>): ConversationTurn {
  const parts = inputParts(turn);
  const isShown = (part: InputPart, position: number): boolean =>
    part.type !== 'approval' && !isRemoved(turn, { of: 'input', position });
  const shown = parts.filter(isShown);
  const messages = turn.messages.flatMap((message, index): readonly ConversationMessage[] => {
    const own = shown.filter((part) => part.type !== 'approval' && part.index === index);
    if (message.role === 'tool' && callIds.has(message.toolCallId)) return [];
    if (own.length === 0) return [];
    if (message.role !== 'assistant' || message.toolCalls === undefined) return [message];
    const isWhole = own.some(({ type }) => type === 'message');
    const toolCalls = message.toolCalls.filter(({ id }) => !callIds.has(id));
    return [{ ...message, content: isWhole ? message.content : [], toolCalls }];
  });
  const items = turn.items.filter(
    (item, position) =>
      !isRemoved(turn, { of: 'items', position }) &&
      !(item.type === 'clientToolCall' && callIds.has(item.id)),
  );
  return { ...turn, messages, items };
}

/** Ids of calls that were removed, or whose results were removed. */
function removedCallIds(turn: ConversationTurn): readonly string[] {
  const parts = inputParts(turn);
  return (turn.removed ?? []).flatMap(({ of, position }) => {
    if (of === 'items') {
      const item = turn.items[position];
      return item?.type === 'clientToolCall' ? [item.id] : [];
    }
    const part = parts[position];
    const message = part === undefined ? undefined : turn.messages[part.index];
    if (part === undefined || part.type === 'approval' || message === undefined) return [];
    if (part.type === 'call') return callsOf(message)[part.callIndex]?.id ?? [];
    return message.role === 'tool' ? [message.toolCallId] : [];
  });
}

function callsOf(message: ConversationMessage) {
  return message.role === 'assistant' ? (message.toolCalls ?? []) : [];
}

function emptied(item: TurnItem): TurnItem {
  switch (item.type) {
    case 'message':
    case 'reasoning':
      return { ...item, text: '' };
    case 'toolCall':
      return { ...item, arguments: {}, result: [] };
    case 'invalidToolCall':
      return { ...item, arguments: {}, reason: '' };
    case 'clientToolCall':
      return { ...item, name: '', argumentsJson: '' };
    case 'approvalRequest':
      return { ...item, arguments: {} };
    case 'toolList':
      return { ...item, tools: [] };
  }
}
