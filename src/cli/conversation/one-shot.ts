import type { ChatRequest } from '../../contract/v1/chat.ts';
import { createChat } from '../../contract/v1/chat-event.ts';
import type { Client } from '../client/client.ts';
import type { CommandContext } from '../context.ts';
import { createAnswerView, formatStats } from './answer-view.ts';
import { streamAnswer } from './stream-answer.ts';

/** Sends one message; only the answer's text, or the whole result as JSON, goes to the output. */
export async function answerOnce(
  context: CommandContext,
  client: Client,
  request: ChatRequest,
  show: { readonly isJson: boolean; readonly hasStats: boolean },
): Promise<void> {
  const { terminal } = context;
  const signal = AbortSignal.any([context.signal, terminal.outputClosed]);
  try {
    const result = show.isJson
      ? await client.call(createChat, { body: request }, signal)
      : await streamAnswer(client, request, createAnswerView(terminal), signal);
    if (show.isJson) terminal.output.json(result);
    if (show.hasStats) terminal.messages.line(formatStats(result.stats));
  } catch (error) {
    const hasReaderLeft = terminal.outputClosed.aborted && !context.signal.aborted;
    if (!hasReaderLeft) throw error;
  }
}
