import { createHash } from 'node:crypto';
import type {
  AdapterScale,
  ContentPart,
  EngineMessage,
  GenerationRequest,
  Prompt,
  ToolCall,
} from '../engine.ts';

/**
 * The blocks of a prompt in order, one or more for each message. A hash covers its block and all blocks before it, so
 * two prompts begin alike as far as their hashes are equal. The engine reads another text, but the lengths of both
 * are roughly in proportion.
 */
export interface PrefixHash {
  readonly hashes: readonly string[];
  /** Length of the prompt in characters, up to and including each block. */
  readonly ends: readonly number[];
}

const blockCharacters = 256;
const blockTokens = 64;
const hashCharacters = 16;
/** Assumed length of an image or audio, instead of its data's length: some 256 tokens. */
export const imageCharacters = 1024;

/** Identifies the adapters of a request in any order. Cached tokens of one mix are never used for another. */
export function adapterMix(adapters: readonly AdapterScale[] = []): string {
  const parts = adapters.map(({ id, scale }) => JSON.stringify([id, scale]));
  return parts.toSorted().join();
}

/**
 * Hashes a prompt. Prompts of different owners, or with different mixes of adapters, have no common block.
 * @param ownerId Id of the request's API token; null for an anonymous request.
 */
export function prefixHash(ownerId: string | null, request: GenerationRequest): PrefixHash {
  const mix = request.adapters === undefined ? '' : adapterMix(request.adapters);
  const blocks: Block[] = [];
  if (request.kind === 'completion') {
    addPrompt(blocks, request.prompt);
  } else {
    const { tools = [], messages } = request;
    if (tools.length > 0) addText(blocks, 'tools', JSON.stringify(tools));
    for (const message of messages) addMessage(blocks, message);
  }
  return extend(nothing, blocks, `${JSON.stringify([ownerId, request.kind])}${mix}`);
}

/** Adds the model's answer as the message that the next turn sends. */
export function withAnswer(
  prefix: PrefixHash,
  answer: { readonly content: string; readonly toolCalls: readonly Omit<ToolCall, 'id'>[] },
): PrefixHash {
  const blocks: Block[] = [];
  const toolCalls = answer.toolCalls.map((call) => ({ ...call, id: '' }));
  addMessage(blocks, { role: 'assistant', content: answer.content, toolCalls });
  return extend(prefix, blocks);
}

/** Adds text to a raw prompt. */
export function withText(prefix: PrefixHash, text: string): PrefixHash {
  const blocks: Block[] = [];
  addText(blocks, '', text);
  return extend(prefix, blocks);
}

export function charactersOf({ ends }: PrefixHash): number {
  return ends.at(-1) ?? 0;
}

/** The beginning of a prompt, up to the last block that ends within this number of characters. */
export function beginningOf({ hashes, ends }: PrefixHash, characters: number): PrefixHash {
  const count = ends.findLastIndex((end) => end <= characters) + 1;
  return { hashes: hashes.slice(0, count), ends: ends.slice(0, count) };
}

/** Length of the common beginning of two prompts, in characters. */
export function commonCharacters(one: PrefixHash, other: PrefixHash): number {
  let count = 0;
  while (count < one.hashes.length && one.hashes[count] === other.hashes[count]) count += 1;
  return one.ends[count - 1] ?? 0;
}

interface Block {
  readonly kind: string;
  readonly text: string;
  readonly characters: number;
}

const nothing: PrefixHash = { hashes: [], ends: [] };

/** @param seed Hashed before the first block if the prefix is empty. */
function extend(prefix: PrefixHash, blocks: readonly Block[], seed = ''): PrefixHash {
  const hashes = [...prefix.hashes];
  const ends = [...prefix.ends];
  for (const { kind, text, characters } of blocks) {
    const hash = createHash('sha256').update(`${hashes.at(-1) ?? seed}\0${kind}\0${text}`);
    hashes.push(hash.digest('base64url').slice(0, hashCharacters));
    ends.push((ends.at(-1) ?? 0) + characters);
  }
  return { hashes, ends };
}

function addPrompt(blocks: Block[], prompt: Prompt): void {
  if (typeof prompt === 'string') {
    addText(blocks, '', prompt);
    return;
  }
  for (let start = 0; start < prompt.length; start += blockTokens) {
    const text = prompt.slice(start, start + blockTokens).join();
    blocks.push({ kind: 'tokens', text, characters: blockCharacters });
  }
}

function addMessage(blocks: Block[], message: EngineMessage): void {
  const { role, content } = message;
  if (message.role === 'assistant' && message.reasoning !== undefined) {
    addText(blocks, 'reasoning', message.reasoning);
  }
  const parts: readonly ContentPart[] =
    typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  for (const part of parts) {
    if (part.type !== 'text') {
      const kind = `${role} ${part.type}`;
      blocks.push({ kind, text: part.dataUrl, characters: imageCharacters });
    } else {
      // The next turn may send an answer without surrounding white space.
      addText(blocks, role, role === 'assistant' ? part.text.trim() : part.text);
    }
  }
  if (message.role !== 'assistant' || message.toolCalls === undefined) return;
  for (const { name, argumentsJson } of message.toolCalls) {
    addText(blocks, 'call', `${name} ${argumentsJson}`);
  }
}

function addText(blocks: Block[], kind: string, text: string): void {
  if (text === '' && kind !== '') blocks.push({ kind, text: '', characters: 0 });
  for (let start = 0; start < text.length; start += blockCharacters) {
    const block = text.slice(start, start + blockCharacters);
    const blockKind = start === 0 ? kind : `+${kind}`;
    blocks.push({ kind: blockKind, text: block, characters: block.length });
  }
}

/** A prompt, perhaps with its answer, that a slot or a saved state contains. */
export interface CachedPrompt {
  /** Id of the request's API token; null for an anonymous request. */
  readonly ownerId: string | null;
  /** The stored response to which the prompt belongs; null for a request that is not stored. */
  readonly responseId: string | null;
  readonly prefix: PrefixHash;
  /** Tokens of the prefix. */
  readonly tokens: number;
  /** Tokens in the slot or the state. More than `tokens` if they include reasoning, which later prompts leave out. */
  readonly heldTokens: number;
}

/** Estimates from the characters how many tokens of a prompt need not be read again. */
export function matchedTokens({ prefix, tokens }: CachedPrompt, prompt: PrefixHash): number {
  const common = commonCharacters(prefix, prompt);
  return common === 0 ? 0 : Math.round((tokens * common) / charactersOf(prefix));
}

/** True if `whole` begins with all of `part`, so that a state of `whole` also serves for `part`. */
export function contains(whole: CachedPrompt, part: CachedPrompt): boolean {
  const { length } = part.prefix.hashes;
  return length > 0 && whole.prefix.hashes[length - 1] === part.prefix.hashes[length - 1];
}
