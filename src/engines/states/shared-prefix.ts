import { charactersOf, commonCharacters, type PrefixHash } from './prefix-hash.ts';

/** Less is not worth saving and restoring a state. */
const minSavedSeconds = 0.5;

interface SharingPrompt {
  readonly prefix: PrefixHash;
  /** Tokens of it that are in a slot or a state. */
  matchedTokens(): number;
}

interface SharedPrefix<Prompt> {
  readonly characters: number;
  /** One of the prompts that begin with it. */
  readonly other: Prompt;
}

/**
 * The beginning of a prompt that saves most time if the other prompts that begin with it need not read it; undefined
 * if that is little.
 *
 * @param tokens Tokens of the prompt.
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

/** The number of tokens with which both begin. */
export function commonTokens(one: readonly number[], other: readonly number[]): number {
  const end = one.findIndex((token, index) => token !== other[index]);
  return end === -1 ? one.length : end;
}
