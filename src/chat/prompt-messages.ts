import type {
  ConversationContent,
  ConversationMessage,
  ToolContent,
} from '../conversation/content.ts';
import type { ConversationTurn } from '../conversation/conversation-turn.ts';
import type { TurnItem } from '../conversation/turn-item.ts';
import type { ContentPart, EngineMessage, ToolCall } from '../engine/engine.ts';
import { toModelContent, type ReadToolImage } from './tool-output.ts';

/** Numbers the calls of a conversation in the same way in every turn, so that prompts have a common prefix. */
export class CallNumbers {
  #count = 0;

  /** Nine letters and digits, which every chat template accepts. */
  next(): string {
    this.#count += 1;
    return `call${String(this.#count).padStart(5, '0')}`;
  }
}

/** Inputs for the messages of a prompt. */
export interface PromptContext {
  /** An image of the conversation as a data URL. */
  readonly readImage: (sha256: string) => Promise<string>;
  readonly readToolImage: ReadToolImage;
  readonly numbers: CallNumbers;
}

/** For a prompt with placeholders in place of its images. */
export function outlineContext(): PromptContext {
  return {
    readImage: async () => '',
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
  /** Undefined if a client message has the result. */
  readonly content: readonly ToolContent[] | undefined;
  readonly isError?: boolean;
}

/**
 * Builds the messages of a prompt: system text, earlier turns with their tool calls and without their reasoning, the
 * messages of this turn.
 */
export async function toPromptMessages(
  systemText: string | undefined,
  history: readonly Pick<ConversationTurn, 'messages' | 'items'>[],
  messages: readonly ConversationMessage[],
  context: PromptContext,
): Promise<readonly EngineMessage[]> {
  const prompt: EngineMessage[] = [];
  if (systemText !== undefined) prompt.push({ role: 'system', content: systemText });
  for (const turn of history) {
    prompt.push(...(await toEngineMessages(turn.messages, context)));
    prompt.push(...(await answerMessages(turn.items, context)));
  }
  prompt.push(...(await toEngineMessages(messages, context)));
  return prompt;
}

/** One round of a turn: the text and calls of the model, then the results. */
export async function roundMessages(
  text: string,
  calls: readonly FinishedCall[],
  { readToolImage, numbers }: PromptContext,
): Promise<readonly EngineMessage[]> {
  const toolCalls: ToolCall[] = [];
  const results: EngineMessage[] = [];
  for (const { id = numbers.next(), name, argumentsJson, content, isError = false } of calls) {
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
    } else if (item.type !== 'reasoning') {
      if (calls.length > 0 && item.round !== round) await endRound();
      ({ round } = item);
      calls.push(toFinishedCall(item));
    }
  }
  await endRound();
  return messages;
}

function toFinishedCall(
  item: Exclude<TurnItem, { readonly type: 'message' | 'reasoning' }>,
): FinishedCall {
  if (item.type === 'clientToolCall') {
    const { id, name, argumentsJson } = item;
    return { id, name, argumentsJson, content: undefined };
  }
  return {
    name: item.exposedName,
    argumentsJson: JSON.stringify(item.arguments ?? {}),
    content: item.type === 'toolCall' ? item.result : [{ type: 'text', text: item.reason }],
    isError: item.type === 'toolCall' && item.isError,
  };
}

async function toEngineMessages(
  messages: readonly ConversationMessage[],
  { readImage }: PromptContext,
): Promise<readonly EngineMessage[]> {
  return Promise.all(
    messages.map(async (message): Promise<EngineMessage> => {
      const { role, content } = message;
      if (role === 'assistant') {
        const { toolCalls } = message;
        const text = textOf(content);
        return { role, content: text, ...(toolCalls === undefined ? {} : { toolCalls }) };
      }
      const parts = await toEngineContent(content, readImage);
      if (role !== 'tool') return { role, content: parts };
      const { toolCallId, isError = false } = message;
      return { role, toolCallId, content: isError ? marked(parts) : parts };
    }),
  );
}

/** Only texts become one string, which every chat template accepts. */
async function toEngineContent(
  content: readonly ConversationContent[],
  readImage: PromptContext['readImage'],
): Promise<string | readonly ContentPart[]> {
  if (content.every(({ type }) => type === 'text')) return textOf(content);
  return Promise.all(
    content.map(async (part): Promise<ContentPart> =>
      part.type === 'text' ? part : { type: 'image', dataUrl: await readImage(part.sha256) },
    ),
  );
}

function textOf(content: readonly ConversationContent[]): string {
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}
