import type { InputPart } from '../conversations/conversation-queries.ts';
import { parseDocumentPart, type DocumentPart } from '../documents/document-part.ts';

interface MessageParts {
  readonly images: readonly Extract<InputPart, { readonly type: 'image' }>[];
  readonly documents: readonly DocumentPart[];
  /** What the user wrote. */
  readonly text: string;
}

/** A growing answer draws its message for each frame, and documents are long. */
const known = new WeakMap<readonly InputPart[], MessageParts>();

/** The images, documents and words of a message. */
export function messageParts(input: readonly InputPart[]): MessageParts {
  const parts = known.get(input) ?? parse(input);
  known.set(input, parts);
  return parts;
}

function parse(input: readonly InputPart[]): MessageParts {
  const contents = input.flatMap((part) => ('content' in part ? part.content : []));
  return {
    images: input.flatMap((part) => (part.type === 'image' ? part : [])),
    documents: contents.flatMap((content) => parseDocumentPart(content) ?? []),
    text: contents.filter((content) => parseDocumentPart(content) === undefined).join('\n\n'),
  };
}

/** The message with other words, and the same images and documents. */
export function withText(input: readonly InputPart[], text: string): readonly InputPart[] {
  const isKept = (part: InputPart) =>
    part.type === 'image' || parseDocumentPart(part.content) !== undefined;
  return [...input.filter(isKept), { type: 'text', content: text }];
}
