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

/** Numbers the calls of a conversation in the same way in every turn, so that prompts have a common prefix. */
export class CallNumbers {
  #count = 0;
  /** Call ids that wait for an approval, by the id of its request. */
  readonly #byRequest = new Map<string, string>();

  /** Nine letters and digits, which every chat template accepts. */
  next(approvalRequestId?: string): string {
    this.#count += 1;
    const number = `call${String(this.#count).padStart(5, '0')}`;
    if (approvalRequestId !== undefined) this.#byRequest.set(approvalRequestId, number);
    return number;
  }

  /** The id of a call that waited for an approval; the id of its request if a client message has the call. */
  ofRequest(approvalRequestId: string): string {
    return this.#byRequest.get(approvalRequestId) ?? approvalRequestId;
  }
}

/** Inputs for the messages of a prompt. */
export interface PromptContext {
  /** An image or audio of the conversation as a data URL. */
  readonly readMedia: (sha256: string) => Promise<string>;
  readonly readToolImage: ReadToolImage;
  readonly numbers: CallNumbers;
}

/** For a prompt with placeholders in place of its images and audio. */
export function outlineContext(): PromptContext {
  return {
    readMedia: async () => '',
    readToolImage: async () => ({ type: 'image', dataUrl: '' }),
    numbers: new CallNumbers(),
  };
}

/** A call of a finished round. */
export interface FinishedCall {
  /** Set for a call to a client tool; the results refer to it. */
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

/** The result of a call that an earlier turn made and a later one answered. */
export interface ApprovalResult {
  readonly requestId: string;
  readonly content: readonly ToolContent[];
  readonly isError: boolean;
}

/**
 * The newest system prompt of the conversation, and the instructions of this turn; the default if there is neither. An empty
 * default stands for none.
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
 * Builds the messages of a prompt: system text, earlier turns with their tool calls and without their reasoning, the
 * messages of this turn.
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
  return prompt;
}

/**
 * Adds the results of approved and refused calls to a prompt, after those calls, or replaces them. Results of calls that
 * the prompt lacks are left out.
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

/** The output of a tool that failed, marked as that for the model. */
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

/** True if the item is a call of this turn, not of an earlier one that it approved. */
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
 * Adds messages to a prompt. One image or audio file is read after the other: the first that is too much ends the reading,
 * and none is held after that.
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

/** Only texts become one string, which every chat template accepts. */
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
 * The beginning of a prompt as text, to find the instance with most of it in its cache: roles and contents in
 * order, images and audio by their size. Not the text that the engine reads.
 */
export function promptPrefix(
  request:
    | Pick<ChatGeneration, 'kind' | 'messages'>
    | Pick<CompletionGeneration, 'kind' | 'prompt'>,
): string {
  if (request.kind === 'completion') {
    const { prompt } = request;
    if (typeof prompt === 'string') return prompt.slice(0, promptKeyLength);
    // An id takes two characters or more with its comma.
    return prompt.slice(0, promptKeyLength).join().slice(0, promptKeyLength);
  }
  let key = '';
  for (const { role, content } of request.messages) {
    key += `${role}\n`;
    for (const part of typeof content === 'string' ? [content] : content) {
      // Cuts before joining: a message may be megabytes long.
      key += `${(typeof part === 'string' ? part : textOf(part)).slice(0, promptKeyLength)}\n`;
      if (key.length >= promptKeyLength) return key.slice(0, promptKeyLength);
    }
  }
  return key;
}

function textOf(part: ContentPart): string {
  return part.type === 'text' ? part.text : `${part.type} ${part.dataUrl.length}`;
}
