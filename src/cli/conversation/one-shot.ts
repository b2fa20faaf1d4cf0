import type { ChatRequest } from '../../api/v1/chat/chat-schema.ts';
import { createChat } from '../../api/v1/chat/chat-event-schema.ts';
import type { Client } from '../client/client.ts';
import type { CommandContext } from '../context.ts';
import { CommandError } from '../failure.ts';
import { createAnswerView, formatStats } from './answer-view.ts';
import { suggestModel } from '../check-model.ts';
import { describeMissingAnswer } from './describe-missing-answer.ts';
import { streamAnswer } from './stream-answer.ts';

/**
 * Sends one message and prints the text of the answer, or the whole result as JSON.
 *
 * @throws CommandError if the model wrote no message; otherwise as `streamAnswer`.
 */
export async function answerOnce(
  context: CommandContext,
  client: Client,
  request: ChatRequest,
  show: {
    readonly isJson: boolean;
    readonly showsStats: boolean;
    readonly hidesThinking: boolean;
  },
): Promise<void> {
  const { terminal } = context;
  const signal = AbortSignal.any([context.signal, terminal.outputClosed]);
  try {
    const result = show.isJson
      ? await client.call(createChat, { body: request }, signal)
      : await streamAnswer(client, request, createAnswerView(terminal, show), signal);
    if (show.isJson) terminal.output.json(result);
    if (show.showsStats) terminal.messages.line(formatStats(result.stats));
    const problem = describeMissingAnswer(result);
    if (problem !== undefined) throw new CommandError(problem);
  } catch (error) {
    const isOutputClosed = terminal.outputClosed.aborted && !context.signal.aborted;
    if (isOutputClosed) return;
    await suggestModel(client, request.model, error, context.signal);
    throw error;
  }
}
