import { blockCharacters, type PromptOutline, type PromptPart } from './prompt-outline.ts';

/** The first place at which a prompt differs from an earlier one. */
export interface Difference {
  /** Index of the part in the prompt. */
  readonly part: number;
  /** Position of the difference in the part, rounded down to the beginning of a block. */
  readonly character: number;
}

export interface Comparison {
  /** Length of the common beginning. */
  readonly commonCharacters: number;
  /** Undefined if one prompt continues the other. */
  readonly difference: Difference | undefined;
  /** Number of characters after the difference that the earlier prompt has, too. */
  readonly repeatedCharacters: number;
  /** Number of the earlier prompt's messages that the current prompt leaves out at the difference. */
  readonly droppedMessages: number;
}

export function comparePrompts(earlier: PromptOutline, current: PromptOutline): Comparison {
  let commonCharacters = 0;
  let part = 0;
  for (; part < current.parts.length; part += 1) {
    const one = earlier.parts[part];
    const other = current.parts[part];
    if (one === undefined || other === undefined || !isEqual(one, other)) break;
    commonCharacters += other.characters;
  }
  const one = earlier.parts[part];
  const other = current.parts[part];
  if (one === undefined || other === undefined) {
    return { commonCharacters, difference: undefined, repeatedCharacters: 0, droppedMessages: 0 };
  }
  const character = one.kind === other.kind ? commonStart(one, other) : 0;
  return {
    commonCharacters: commonCharacters + character,
    difference: { part, character },
    repeatedCharacters:
      repeatedInPart(one, other, character) + repeatedParts(earlier, current, part),
    droppedMessages: droppedMessages(earlier, current, part),
  };
}

function isEqual(one: PromptPart, other: PromptPart): boolean {
  return one.kind === other.kind && one.characters === other.characters && one.hash === other.hash;
}

function commonStart(one: PromptPart, other: PromptPart): number {
  const differing = one.blocks.findIndex((block, index) => block !== other.blocks[index]);
  const blocks = differing === -1 ? one.blocks.length : differing;
  return Math.min(blocks * blockCharacters, one.characters, other.characters);
}

/** Number of characters after a change inside a part that are in both versions. */
function repeatedInPart(one: PromptPart, other: PromptPart, character: number): number {
  if (one.kind !== other.kind) return 0;
  const first = character / blockCharacters;
  let aligned = 0;
  for (let index = Math.ceil(first); index < other.blocks.length; index += 1) {
    if (one.blocks[index] === other.blocks[index]) aligned += blockCharacters;
  }
  // If the change altered the length, the blocks no longer match. Equal ends then show that the rest is the same.
  const rest = Math.min(one.characters, other.characters) - character - blockCharacters;
  return Math.max(aligned, one.tail === other.tail ? rest : 0);
}

function repeatedParts(earlier: PromptOutline, current: PromptOutline, part: number): number {
  const known = new Set(earlier.parts.slice(part).map(({ hash }) => hash));
  return current.parts
    .slice(part)
    .reduce((sum, { hash, characters }) => sum + (known.has(hash) ? characters : 0), 0);
}

function droppedMessages(earlier: PromptOutline, current: PromptOutline, part: number): number {
  const next = current.parts[part];
  if (next === undefined) return 0;
  const found = earlier.parts.findIndex((each, index) => index > part && isEqual(each, next));
  return found === -1 ? 0 : found - part;
}
