import type { EngineMessage, ToolCall } from '../engine/engine.ts';
import type { ToolContent } from '../tools/toolbox.ts';
import type { StoredOutputItem } from './stored-output.ts';
import { fromOutputText, toModelContent, type ToolOutputReader } from './tool-output.ts';

/** Gives the calls of a conversation their ids, the same in every turn, so that prompts begin alike. */
export class CallNumbers {
  #count = 0;

  /** Nine letters and digits, which every chat template takes. */
  next(): string {
    this.#count += 1;
    return `call${String(this.#count).padStart(5, '0')}`;
  }
}

/** A call that was made, and what came of it. */
export interface FinishedCall {
  /** The tool as the model named it. */
  readonly name: string;
  readonly argumentsJson: string;
  readonly content: readonly ToolContent[];
}

/** One round of a turn as messages: what the model said and called, then the results. */
export async function roundMessages(
  text: string,
  calls: readonly FinishedCall[],
  reader: ToolOutputReader,
  numbers: CallNumbers,
): Promise<readonly EngineMessage[]> {
  const toolCalls: ToolCall[] = [];
  const results: EngineMessage[] = [];
  for (const { name, argumentsJson, content } of calls) {
    const id = numbers.next();
    toolCalls.push({ id, name, argumentsJson });
    const shown = await toModelContent(content, reader);
    results.push({ role: 'tool', toolCallId: id, content: shown });
  }
  return [{ role: 'assistant', content: text, toolCalls }, ...results];
}

/** A stored answer as messages, its reasoning left out. */
export async function answerMessages(
  output: readonly StoredOutputItem[],
  reader: ToolOutputReader,
  numbers: CallNumbers,
): Promise<readonly EngineMessage[]> {
  const messages: EngineMessage[] = [];
  let text = '';
  let calls: FinishedCall[] = [];
  let round: number | undefined;
  const endRound = async (): Promise<void> => {
    if (calls.length > 0) messages.push(...(await roundMessages(text, calls, reader, numbers)));
    else if (text !== '') messages.push({ role: 'assistant', content: text });
    text = '';
    calls = [];
  };
  for (const item of output) {
    if (item.type === 'message') {
      await endRound();
      text = item.content;
    } else if (item.type !== 'reasoning') {
      if (calls.length > 0 && item.round !== round) await endRound();
      round = item.round;
      calls.push(toFinishedCall(item));
    }
  }
  await endRound();
  return messages;
}

function toFinishedCall(
  item: Extract<StoredOutputItem, { type: 'tool_call' | 'invalid_tool_call' }>,
): FinishedCall {
  if (item.type === 'tool_call') {
    return {
      name: item.offered_name ?? item.tool,
      argumentsJson: JSON.stringify(item.arguments),
      content: fromOutputText(item.output),
    };
  }
  return {
    name: item.offered_name ?? item.metadata.tool_name,
    argumentsJson: JSON.stringify(item.metadata.arguments ?? {}),
    content: [{ type: 'text', text: item.reason }],
  };
}
