import { messageParts } from '../messages/message-parts.ts';
import { answerText, type Turn } from '../messages/turn.ts';

/** A message or an answer that contains the text. */
export interface Match {
  readonly turnIndex: number;
  readonly part: 'message' | 'answer';
}

/** A pattern for a search text that ignores case and the amount of white space. */
export function toPattern(text: string): RegExp | undefined {
  const words = text.trim().split(/\s+/).filter(Boolean);
  if (words.length === 0) return undefined;
  const escaped = words.map((word) => word.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`));
  return new RegExp(escaped.join(String.raw`\s+`), 'giu');
}

/** The messages and answers that contain a text, oldest first. Ignores reasoning and tool calls, which are folded. */
export function findMatches(turns: readonly Turn[], text: string): readonly Match[] {
  const pattern = toPattern(text);
  if (pattern === undefined) return [];
  const contains = (content: string) => content.search(pattern) !== -1;
  return turns.flatMap((turn, turnIndex) => {
    const matches: Match[] = [];
    if (contains(messageParts(turn.input).text)) matches.push({ turnIndex, part: 'message' });
    if (contains(withoutMarks(answerText(turn)))) matches.push({ turnIndex, part: 'answer' });
    return matches;
  });
}

/** Removes Markdown marks inside of sentences, which are not visible. */
function withoutMarks(markdown: string): string {
  return markdown.replaceAll(/[*_`~]/g, '');
}
