import { decodeTurn } from '../turns/codec.ts';
import type { ReadSystemPrompts } from '../system-prompts.ts';

/** Reads whole turns: PostgreSQL before 16 can't tell whether a text is JSON, and its JSON has no NUL. */
export const parseSystemPrompts: ReadSystemPrompts = async (database, ids) => {
  const rows = await database
    .selectFrom('responses')
    .where('id', 'in', ids)
    .select(['id', 'content'])
    .execute();
  return new Map(rows.map(({ id, content }) => [id, systemPromptOf(content)]));
};

function systemPromptOf(content: string): string | null {
  try {
    return decodeTurn(content).systemPrompt;
  } catch {
    return null;
  }
}
