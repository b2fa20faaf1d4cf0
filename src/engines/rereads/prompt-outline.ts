import { createHash } from 'node:crypto';
import type {
  ContentPart,
  EngineMessage,
  GenerationRequest,
  Prompt,
  ToolDefinition,
} from '../engine.ts';
import { imageCharacters } from '../states/prefix-hash.ts';

type PartKind = 'tools' | EngineMessage['role'] | 'text';

/** The tools, a message or the raw text of a prompt. Prompts are private, so only hashes of the texts are kept. */
export interface PromptPart {
  readonly kind: PartKind;
  readonly characters: number;
  /** A hash of each block of `blockCharacters`. */
  readonly blocks: Uint32Array;
  /** Hash of the last `blockCharacters` characters, whatever the blocks' boundaries. */
  readonly tail: number;
  /** Hash of the whole text. */
  readonly hash: number;
  /** Names of the tools, with hashes of their definitions. */
  readonly tools?: ReadonlyMap<string, number>;
  /** True if the model wrote this part in an earlier generation, rather than a client. */
  readonly isAnswer?: true;
}

/** A prompt in the order in which chat templates write it. */
export interface PromptOutline {
  readonly parts: readonly PromptPart[];
  readonly characters: number;
}

export const blockCharacters = 64;
const offsetBasis = 0x81_1c_9d_c5;
/** Hashes of images. Cached, since the same parts are hashed again after each tool call. */
const imageHashes = new WeakMap<ContentPart, string>();

export function outlineOf(request: GenerationRequest): PromptOutline {
  if (request.kind === 'completion') {
    return outline([toPart('text', textOfPrompt(request.prompt))]);
  }
  const { tools = [], messages } = request;
  const ofTools = tools.length === 0 ? [] : [toToolsPart(tools)];
  return outline([...ofTools, ...messages.map((message) => toPart(message.role, textOf(message)))]);
}

/** Adds the model's answer as the message that the next turn sends. */
export function withAnswer({ parts }: PromptOutline, answer: string): PromptOutline {
  return outline([...parts, { ...toPart('assistant', answer.trim()), isAnswer: true }]);
}

/** The text of a request's part, of which `outlineOf` keeps only hashes. */
export function partText(request: GenerationRequest, index: number): string {
  if (request.kind === 'completion') return textOfPrompt(request.prompt);
  const { tools = [], messages } = request;
  const message = messages[index - (tools.length === 0 ? 0 : 1)];
  return message === undefined ? '' : textOf(message);
}

function textOfPrompt(prompt: Prompt): string {
  return typeof prompt === 'string' ? prompt : prompt.join(' ');
}

function outline(parts: readonly PromptPart[]): PromptOutline {
  return { parts, characters: parts.reduce((sum, { characters }) => sum + characters, 0) };
}

function toToolsPart(tools: readonly ToolDefinition[]): PromptPart {
  const texts = tools.map((tool) => [tool.name, JSON.stringify(tool)] as const);
  return {
    ...toPart('tools', texts.map(([, text]) => text).join('\n')),
    tools: new Map(texts.map(([name, text]) => [name, hashOf(text, 0, text.length)])),
  };
}

function toPart(kind: PartKind, text: string): PromptPart {
  const { length } = text;
  const blocks = new Uint32Array(Math.ceil(length / blockCharacters));
  for (let index = 0; index < blocks.length; index += 1) {
    const start = index * blockCharacters;
    blocks[index] = hashOf(text, start, Math.min(start + blockCharacters, length));
  }
  return {
    kind,
    characters: length,
    blocks,
    tail: hashOf(text, Math.max(0, length - blockCharacters), length),
    hash: blocks.reduce(mixed, mixed(offsetBasis, length)) >>> 0,
  };
}

function textOf(message: EngineMessage): string {
  const { content } = message;
  const text = typeof content === 'string' ? content : content.map(partTextOf).join('\n');
  if (message.role !== 'assistant') return text;
  // The next turn may send an answer without the white space around it.
  const calls = (message.toolCalls ?? []).map(
    ({ name, argumentsJson }) => `${name} ${argumentsJson}`,
  );
  return [text.trim(), ...calls].filter((each) => each !== '').join('\n');
}

function partTextOf(part: ContentPart): string {
  if (part.type === 'text') return part.text;
  let hash = imageHashes.get(part);
  if (hash === undefined) {
    // Short, since a longer one would look like an id in the text.
    hash = createHash('sha1').update(part.dataUrl).digest('hex').slice(0, 8);
    imageHashes.set(part, hash);
  }
  return hash.padStart(imageCharacters, '.');
}

/** FNV-1a over UTF-16 code units. A collision has a chance of one in four billion, and only makes a message wrong. */
function hashOf(text: string, start: number, end: number): number {
  let hash = offsetBasis;
  for (let index = start; index < end; index += 1) hash = mixed(hash, text.charCodeAt(index));
  return hash >>> 0;
}

function mixed(hash: number, value: number): number {
  return Math.imul(hash ^ value, 0x01_00_01_93);
}
