import { texts } from '../../../texts/texts.ts';
import { askModel } from '../conversations/ask-model.ts';
import type { Turn } from '../messages/turn.ts';
import type { ConversationSettings } from '../settings/conversation-settings.ts';

const maxSummaryTokens = 600;

/**
 * Lets the model summarize a branch. Neither the request nor the summary is stored.
 *
 * @param freeTokens Unused tokens of the context.
 * @throws Error if the model writes nothing; ApiError, UnreachableError.
 */
export async function summarize(
  turns: readonly Turn[],
  settings: ConversationSettings,
  freeTokens: number,
): Promise<string> {
  const { model, contextLength } = settings;
  const previousId = turns.at(-1)?.responseId;
  if (model === undefined || previousId === undefined) throw new Error(texts.context.noSummary);
  const text = await askModel({
    model,
    previousId,
    text: texts.context.summaryRequest,
    maxTokens: Math.max(64, Math.min(maxSummaryTokens, Math.floor(freeTokens / 2))),
    contextLength,
  });
  if (text === '') throw new Error(texts.context.noSummary);
  return text;
}
