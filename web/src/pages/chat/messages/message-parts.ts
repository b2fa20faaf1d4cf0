import type { InputPart } from '../conversations/conversation-queries.ts';
import { isProjectPart, parseDocumentPart, type DocumentPart } from '../documents/document-part.ts';

/** An image or audio, as a data URL or stored on the server. */
export type MediaPart = Exclude<InputPart, { readonly content: string }>;

interface MessageParts {
  readonly media: readonly MediaPart[];
  readonly documents: readonly DocumentPart[];
  /** The user's text. */
  readonly text: string;
}

/** Cached, since a growing answer rerenders its message in each frame and documents are long. */
const known = new WeakMap<readonly InputPart[], MessageParts>();

/** Splits a message into images and audio, documents, and the user's text. */
export function messageParts(input: readonly InputPart[]): MessageParts {
  const parts = known.get(input) ?? parse(input);
  known.set(input, parts);
  return parts;
}

function parse(input: readonly InputPart[]): MessageParts {
  const contents = input.flatMap((part) => ('content' in part ? part.content : []));
  return {
    media: input.flatMap((part) => ('content' in part ? [] : part)),
    documents: contents.flatMap((content) => parseDocumentPart(content) ?? []),
    text: contents.filter((content) => parseDocumentPart(content) === undefined).join('\n\n'),
  };
}

/** The message without the parts that the server chooses again when it is sent. */
export function withoutProjectParts(input: readonly InputPart[]): readonly InputPart[] {
  return input.filter((part) => !('content' in part && isProjectPart(part.content)));
}

/** The message with other words, and the same images, audio and attached documents. */
export function withText(input: readonly InputPart[], text: string): readonly InputPart[] {
  const isKept = (part: InputPart) =>
    !('content' in part) || parseDocumentPart(part.content) !== undefined;
  return [...withoutProjectParts(input).filter(isKept), { type: 'text', content: text }];
}
