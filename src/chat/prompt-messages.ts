import type {
  ConversationContent,
  ConversationMessage,
  ToolContent,
} from '../store/turns/content.ts';
import type { ConversationTurn } from '../store/turns/conversation-turn.ts';
import type { TurnItem } from '../store/turns/turn-item.ts';
import type {
  ChatGeneration,
  CompletionGeneration,
  ContentPart,
  EngineMessage,
  ToolCall,
} from '../engines/engine.ts';
import { omitUndefined } from '../kernel/omit-undefined.ts';
import { type ReadToolImage, toModelContent } from './tool-results.ts';
import type { TurnRequest } from './turn-request.ts';
import { promptKeyLength } from '../engines/loads/policy/choose-instance.ts';

/** Numbers the calls of a conversation alike in every turn, so that its prompts share a prefix. */
export class CallNumbers {
  #count = 0;
  /** Ids of calls that wait for an approval, by the approval request's id. */
  readonly #byRequest = new Map<string, string>();

  /** A new id of nine letters and digits, which every chat template accepts. */
  next(approvalRequestId?: string): string {
    this.#count += 1;
    const number = `call${String(this.#count).padStart(5, '0')}`;
    if (approvalRequestId !== undefined) this.#byRequest.set(approvalRequestId, number);
    return number;
  }

  /** The id of the call that waited for this approval; the request's own id if a client message has the call. */
  ofRequest(approvalRequestId: string): string {
    return this.#byRequest.get(approvalRequestId) ?? approvalRequestId;
  }
}

/** Inputs to build prompt messages. */
export interface PromptContext {
  /** Reads an image or audio of the conversation as a data URL. */
  readonly readMedia: (sha256: string) => Promise<string>;
  readonly readToolImage: ReadToolImage;
  readonly numbers: CallNumbers;
}

/** Context for a prompt with placeholders in place of its images and audio. */
export function outlineContext(): PromptContext {
  return {
    readMedia: async () => '',
    readToolImage: async () => ({ type: 'image', dataUrl: '' }),
    numbers: new CallNumbers(),
  };
}

/** A call of a finished round. */
export interface FinishedCall {
  /** Set for a client tool's call; its result refers to it. */
  readonly id?: string;
  /** Tool name as the model sees it. */
  readonly name: string;
  readonly argumentsJson: string;
  /** Undefined if a later message has the result. */
  readonly content: readonly ToolContent[] | undefined;
  readonly isError?: boolean;
  /** Set if the call waits for an approval. */
  readonly approvalRequestId?: string;
}

/** The result of a call that an earlier turn requested and a later turn answered. */
export interface ApprovalResult {
  readonly requestId: string;
  readonly content: readonly ToolContent[];
  readonly isError: boolean;
}

/**
 * Joins the conversation's newest system prompt and the instructions of this turn; the default if there is neither. An
 * empty default adds no system text.
 */
export function systemTextOf(
  history: { readonly systemPrompt: string | null },
  { systemPrompt, instructions }: Pick<TurnRequest, 'systemPrompt' | 'instructions'>,
  defaultPrompt?: string,
): string | undefined {
  const text = systemPrompt ?? history.systemPrompt;
  if (text === null) return instructions ?? (defaultPrompt || undefined);
  return instructions === undefined ? text : `${text}\n\n${instructions}`;
}

/**
 * Builds the messages of a prompt: system text, earlier turns with tool calls but without reasoning, then this turn's
 * messages.
 */
export async function toPromptMessages(
  systemText: string | undefined,
  history: readonly Pick<ConversationTurn, 'messages' | 'items' | 'approvals'>[],
  messages: readonly ConversationMessage[],
  context: PromptContext,
): Promise<EngineMessage[]> {
  const prompt: EngineMessage[] = [];
  if (systemText !== undefined) prompt.push({ role: 'system', content: systemText });
  for (const turn of history) {
    await addMessages(prompt, turn.messages, context);
    await putResults(prompt, approvalResults(turn), context);
    prompt.push(...(await answerMessages(turn.items, context)));
  }
  await addMessages(prompt, messages, context);
  const last = prompt.at(-1);
  // An engine that continues an empty answer begins amid the markup of the chat template.
  if (last?.role === 'assistant' && last.content === '' && !last.toolCalls?.length) prompt.pop();
  return prompt;
}

/**
 * Inserts the results of approved and denied calls after their calls, or replaces earlier results. Omits results of
 * calls that are not in the prompt.
 */
export async function putResults(
  prompt: EngineMessage[],
  results: readonly ApprovalResult[],
  { readToolImage, numbers }: PromptContext,
): Promise<void> {
  for (const { requestId, content, isError } of results) {
    const id = numbers.ofRequest(requestId);
    const call = prompt.findLastIndex(
      (message) =>
        message.role === 'assistant' && message.toolCalls?.some((each) => each.id === id),
    );
    if (call === -1) continue;
    let end = call + 1;
    let known = 0;
    for (; prompt[end]?.role === 'tool'; end += 1) {
      const message = prompt[end];
      if (message?.role === 'tool' && message.toolCallId === id) known = end;
    }
    const shown = await toModelContent(content, readToolImage);
    const result = {
      role: 'tool',
      toolCallId: id,
      content: isError ? marked(shown) : shown,
    } as const;
    if (known > 0) prompt[known] = result;
    else prompt.splice(end, 0, result);
  }
}

/** The results of the calls that a turn answered. */
export function approvalResults({
  approvals = [],
  items,
}: Pick<ConversationTurn, 'items' | 'approvals'>): readonly ApprovalResult[] {
  return approvals.map(({ requestId, isApproved, reason }) => {
    if (!isApproved) {
      const text = `The user refused this call${reason ? `: ${reason}` : '.'}`;
      return { requestId, content: [{ type: 'text', text }], isError: false };
    }
    const item = items.find(
      (each) => 'approvalRequestId' in each && each.approvalRequestId === requestId,
    );
    if (item?.type === 'toolCall') {
      return { requestId, content: item.result, isError: item.isError };
    }
    const text = item?.type === 'invalidToolCall' ? item.reason : 'The call did not finish.';
    return { requestId, content: [{ type: 'text', text }], isError: false };
  });
}

/** One round of a turn: the text and calls of the model, then the results. */
export async function roundMessages(
  text: string,
  calls: readonly FinishedCall[],
  { readToolImage, numbers }: PromptContext,
): Promise<readonly EngineMessage[]> {
  const toolCalls: ToolCall[] = [];
  const results: EngineMessage[] = [];
  for (const call of calls) {
    const { approvalRequestId, name, argumentsJson, content, isError = false } = call;
    const id = call.id ?? numbers.next(approvalRequestId);
    toolCalls.push({ id, name, argumentsJson });
    if (content === undefined) continue;
    const shown = await toModelContent(content, readToolImage);
    results.push({ role: 'tool', toolCallId: id, content: isError ? marked(shown) : shown });
  }
  return [{ role: 'assistant', content: text, toolCalls }, ...results];
}

/** The output of a failed tool, marked as a failure for the model. */
function marked(content: string | readonly ContentPart[]): string | readonly ContentPart[] {
  if (typeof content !== 'string') return [{ type: 'text', text: 'Error:' }, ...content];
  return /^error\b/i.test(content) ? content : `Error: ${content}`;
}

/** The answer of an earlier turn, without its reasoning. */
async function answerMessages(
  items: readonly TurnItem[],
  context: PromptContext,
): Promise<readonly EngineMessage[]> {
  const messages: EngineMessage[] = [];
  let text = '';
  let calls: FinishedCall[] = [];
  let round: number | undefined;
  const endRound = async (): Promise<void> => {
    if (calls.length > 0) messages.push(...(await roundMessages(text, calls, context)));
    else if (text !== '') messages.push({ role: 'assistant', content: text });
    text = '';
    calls = [];
  };
  for (const item of items) {
    if (item.type === 'message') {
      await endRound();
      ({ text } = item);
    } else if (isOwnCall(item)) {
      if (calls.length > 0 && item.round !== round) await endRound();
      ({ round } = item);
      calls.push(toFinishedCall(item));
    }
  }
  await endRound();
  return messages;
}

type OwnCall = Exclude<TurnItem, { readonly type: 'message' | 'reasoning' | 'toolList' }>;

/** True if this turn's model made the call; false if this turn only approved it. */
function isOwnCall(item: TurnItem): item is OwnCall {
  const { type } = item;
  if (type === 'message' || type === 'reasoning' || type === 'toolList') return false;
  return !('approvalRequestId' in item);
}

function toFinishedCall(item: OwnCall): FinishedCall {
  if (item.type === 'clientToolCall') {
    const { id, name, argumentsJson } = item;
    return { id, name, argumentsJson, content: undefined };
  }
  const { exposedName: name } = item;
  const argumentsJson = JSON.stringify(item.arguments ?? {});
  if (item.type === 'approvalRequest') {
    return { approvalRequestId: item.id, name, argumentsJson, content: undefined };
  }
  return {
    name,
    argumentsJson,
    content: item.type === 'toolCall' ? item.result : [{ type: 'text', text: item.reason }],
    isError: item.type === 'toolCall' && item.isError,
  };
}

/**
 * Adds messages to a prompt. Reads media one file at a time, so that reading stops at the first file beyond the limit
 * and holds none after it.
 */
async function addMessages(
  prompt: EngineMessage[],
  messages: readonly ConversationMessage[],
  { readMedia }: PromptContext,
): Promise<void> {
  for (const message of messages) {
    const { role } = message;
    if (role === 'assistant') {
      const { toolCalls } = message;
      const texts = message.content.filter(isText);
      prompt.push({ role, content: joined(texts), ...omitUndefined({ toolCalls }) });
      continue;
    }
    const { content } = message;
    const shown = content.every(isText) ? joined(content) : await toParts(content, readMedia);
    if (role === 'tool') {
      const { toolCallId, isError = false } = message;
      prompt.push({ role, toolCallId, content: isError ? marked(shown) : shown });
    } else {
      prompt.push({ role, content: shown });
    }
  }
}

type TextPart = Extract<ConversationContent, { readonly type: 'text' }>;

function isText(part: ConversationContent): part is TextPart {
  return part.type === 'text';
}

/** Joins parts into one string if all are texts, since every chat template accepts strings. */
function joined(parts: readonly TextPart[]): string {
  return parts.length === 1 && parts[0] ? parts[0].text : parts.map(({ text }) => text).join('\n');
}

async function toParts(
  content: readonly ConversationContent[],
  readMedia: PromptContext['readMedia'],
): Promise<readonly ContentPart[]> {
  const parts: ContentPart[] = [];
  for (const part of content) {
    parts.push(isText(part) ? part : { type: part.type, dataUrl: await readMedia(part.sha256) });
  }
  return parts;
}

/**
 * An approximation of the prompt's beginning as text, to find the instance that has most of it in its cache. Contains
 * roles and contents in order, and the sizes of images and audio. The engine reads another text.
 */
export function promptPrefix(
  request:
    | Pick<ChatGeneration, 'kind' | 'messages'>
    | Pick<CompletionGeneration, 'kind' | 'prompt'>,
): string {
  if (request.kind === 'completion') {
    const { prompt } = request;
    if (typeof prompt === 'string') return prompt.slice(0, promptKeyLength);
    // Each id takes at least two characters with its comma.
    return prompt.slice(0, promptKeyLength).join().slice(0, promptKeyLength);
  }
  let key = '';
  for (const { role, content } of request.messages) {
    key += `${role}\n`;
    for (const part of typeof content === 'string' ? [content] : content) {
      // Cuts before joining, since a message may have megabytes.
      key += `${(typeof part === 'string' ? part : textOf(part)).slice(0, promptKeyLength)}\n`;
      if (key.length >= promptKeyLength) return key.slice(0, promptKeyLength);
    }
  }
  return key;
}

function textOf(part: ContentPart): string {
  return part.type === 'text' ? part.text : `${part.type} ${part.dataUrl.length}`;
}
