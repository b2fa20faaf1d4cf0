import { charactersOf, commonCharacters, type PrefixHash } from './prefix-hash.ts';

/** Minimum time that a shared beginning must save. Less does not pay for saving and restoring a state. */
const minSavedSeconds = 0.5;

interface SharingPrompt {
  readonly prefix: PrefixHash;
  /** Tokens of the prompt that are already in a slot or a state. */
  matchedTokens(): number;
}

interface SharedPrefix<Prompt> {
  readonly characters: number;
  /** One of the prompts that have this beginning. */
  readonly other: Prompt;
}

/**
 * Finds the beginning of a prompt whose sharing saves the most time, since other prompts need not read it. Undefined
 * if no beginning saves enough.
 *
 * @param tokens Number of tokens in the prompt.
 */
export function sharedPrefix<Prompt extends SharingPrompt>(
  prefix: PrefixHash,
  tokens: number,
  others: readonly Prompt[],
  secondsToRead: (tokens: number) => number | undefined,
): SharedPrefix<Prompt> | undefined {
  const tokensPerCharacter = tokens / Math.max(1, charactersOf(prefix));
  const sharing = others.map((other) => ({
    other,
    characters: commonCharacters(prefix, other.prefix),
    matchedTokens: other.matchedTokens(),
  }));
  const rated = sharing.map(({ other, characters }) => {
    const prefixTokens = characters * tokensPerCharacter;
    const savedTokens = sharing
      .filter((each) => each.characters >= characters)
      .reduce((sum, each) => sum + Math.max(0, prefixTokens - each.matchedTokens), 0);
    return { other, characters, seconds: secondsToRead(savedTokens) ?? 0 };
  });
  const [best] = rated.toSorted((one, another) => another.seconds - one.seconds);
  return best !== undefined && best.seconds >= minSavedSeconds ? best : undefined;
}

/** The number of tokens in the common beginning. */
export function commonTokens(one: readonly number[], other: readonly number[]): number {
  const end = one.findIndex((token, index) => token !== other[index]);
  return end === -1 ? one.length : end;
}
