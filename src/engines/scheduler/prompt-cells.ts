import type { ChatGeneration, EngineMessage, GenerationRequest, Prompt } from '../engine.ts';

/** Tokens that a chat template adds: a system prompt of its own, and tags around each message. */
const templateTokens = 512;
const messageTokens = 32;
/** Templates may indent the schemas of tools. */
const toolsFactor = 3;
/** Tokens that an engine drafts beyond the end of an answer. */
const spareTokens = 8;
/** Answers that decide the usual length. */
const rememberedAnswers = 32;
/** Before the first answers. */
const firstAnswerTokens = 256;
/** Three of four answers are shorter than the usual length. */
const usualShare = 0.75;

/** Cells of the KV cache for a prompt and its longest answer; Infinity if nothing limits the answer. */
export function cellsFor(promptTokens: number, { maxTokens }: GenerationRequest): number {
  return promptTokens + (maxTokens ?? Infinity) + spareTokens;
}

/** Tokens of a prompt at most, since a token has a byte at least; Infinity for images. */
export function mostTokens(request: GenerationRequest): number {
  if (request.kind === 'completion') {
    return templateTokens + promptBytes(request.prompt) + promptBytes(request.suffix ?? '');
  }
  return request.messages.reduce(
    (sum, message) => sum + messageTokens + messageBytes(message),
    templateTokens + toolsFactor * toolsBytes(request),
  );
}

/** The lengths of a model's last answers, in tokens. */
export class AnswerLengths {
  readonly #tokens: number[] = [];

  learn(completionTokens: number): void {
    this.#tokens.push(completionTokens);
    if (this.#tokens.length > rememberedAnswers) this.#tokens.shift();
  }

  /** Cells that an answer is likely to need. */
  get usual(): number {
    const sorted = this.#tokens.toSorted((one, other) => one - other);
    return sorted[Math.floor(sorted.length * usualShare)] ?? firstAnswerTokens;
  }
}

function toolsBytes({ tools = [] }: ChatGeneration): number {
  return tools.length === 0 ? 0 : Buffer.byteLength(JSON.stringify(tools));
}

function messageBytes(message: EngineMessage): number {
  const { content } = message;
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
  const callBytes = calls.length === 0 ? 0 : toolsFactor * Buffer.byteLength(JSON.stringify(calls));
  if (typeof content === 'string') return callBytes + Buffer.byteLength(content);
  return content.reduce(
    (sum, part) => sum + (part.type === 'text' ? Buffer.byteLength(part.text) : Infinity),
    callBytes,
  );
}

function promptBytes(prompt: Prompt): number {
  return typeof prompt === 'string' ? Buffer.byteLength(prompt) : prompt.length;
}
