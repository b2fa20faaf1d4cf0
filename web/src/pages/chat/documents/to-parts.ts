import { texts } from '../../../texts/texts.ts';
import type { InputPart } from '../conversations/conversation-queries.ts';
import { charactersPerToken, countCharacters, type TextDocument } from './document.ts';
import { filePart, passagesPart } from './document-part.ts';
import { nearestPassages } from './nearest-passages.ts';

/** Share of the unused context for documents; the rest is for the message and the answer. */
const shareOfContext = 0.6;
/** More text would take long to read and help little. */
const maxPassageCharacters = 12_000;

/**
 * Converts documents to parts of a message: whole if they fit into the context, otherwise their passages nearest to the
 * message.
 *
 * @param freeTokens Unused tokens of the context.
 */
export async function toDocumentParts(
  documents: readonly TextDocument[],
  message: string,
  freeTokens: number,
): Promise<{ readonly parts: readonly InputPart[]; readonly areWhole: boolean }> {
  const room = Math.max(500, freeTokens * shareOfContext * charactersPerToken);
  const size = documents.reduce((sum, document) => sum + countCharacters(document), 0);
  if (size <= room) {
    return { parts: documents.map((each) => textPart(filePart(each))), areWhole: true };
  }
  const text = message === '' ? texts.documents.chooseFor : message;
  const maxCharacters = Math.min(room, maxPassageCharacters);
  const passages = await nearestPassages(documents, text, maxCharacters);
  return { parts: [textPart(passagesPart(passages))], areWhole: false };
}

function textPart(content: string): InputPart {
  return { type: 'text', content };
}
