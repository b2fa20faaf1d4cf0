import type { ConversationMessage } from './content.ts';
import type { ConversationTurn } from './conversation-turn.ts';

const maxTitleLength = 60;
const maxPreviewLength = 160;
/** Most characters of one turn that a search finds. */
const maxSearchLength = 256 * 1024;

/** The parts of a turn that summaries read. */
export type TurnTexts = Pick<ConversationTurn, 'messages' | 'items'>;

/** The first words of the input, or of the output if the input has no text. Of several texts the last is the question. */
export function titleOf(turn: TurnTexts): string {
  return firstWords(turn, maxTitleLength) || 'Untitled';
}

/** The beginning of the input, or of the output if the input has no text; may be empty. */
export function previewOf(turn: TurnTexts): string {
  return firstWords(turn, maxPreviewLength);
}

/** The texts of a turn that a search finds: messages and answers, without reasoning and tool calls. */
export function searchTextOf({ messages, items }: TurnTexts): string {
  const inputs = messages.flatMap((message) =>
    message.role === 'system' || message.role === 'tool' ? [] : textsOf(message),
  );
  const outputs = items.flatMap((item) => (item.type === 'message' ? [item.text] : []));
  return cut([...inputs, ...outputs].join('\n'), maxSearchLength).replaceAll('\0', ' ');
}

function firstWords({ messages, items }: TurnTexts, maxLength: number): string {
  const inputs = messages.flatMap((message) =>
    // Documents come before the words about them.
    message.role === 'user' ? textsOf(message).toReversed() : [],
  );
  const outputs = items.flatMap((item) => (item.type === 'message' ? [item.text] : []));
  for (const text of [...inputs, ...outputs]) {
    // A long text without spaces has enough words in this many characters.
    const words = cut(text, 4 * maxLength)
      .replaceAll(/[\s\0]+/g, ' ')
      .trim();
    if (words !== '') return shorten(words, maxLength);
  }
  return '';
}

/** Cuts between words if there is a space near the end. */
function shorten(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const start = cut(text, maxLength - 1);
  const lastSpace = start.lastIndexOf(' ');
  return `${lastSpace > maxLength / 2 ? start.slice(0, lastSpace) : start}…`;
}

/** The first UTF-16 units of a text, without half of a surrogate pair at the end. */
function cut(text: string, maxLength: number): string {
  return text
    .slice(0, maxLength)
    .toWellFormed()
    .replace(/\ufffd$/, '');
}

function textsOf({ content }: ConversationMessage): readonly string[] {
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
}
