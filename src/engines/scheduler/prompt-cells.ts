import type { ChatGeneration, EngineMessage, GenerationRequest, Prompt } from '../engine.ts';

/** Maximum tokens that a chat template adds to a prompt, and (`messageTokens`) to each message. */
const templateTokens = 512;
const messageTokens = 32;
/** Factor for the length of tools in a prompt, since templates may indent their schemas. */
const toolsFactor = 3;
/** Tokens that an engine may draft beyond the end of an answer. */
const spareTokens = 8;
/** Number of last answers from which the usual length is computed. */
const rememberedAnswers = 32;
/** Usual length before the first answer. */
const firstAnswerTokens = 256;
/** Quantile: three of four answers are shorter than the usual length. */
const usualShare = 0.75;

/** Cells of the KV cache for a prompt and its longest answer; Infinity if the answer has no limit. */
export function cellsFor(promptTokens: number, { maxTokens }: GenerationRequest): number {
  return promptTokens + (maxTokens ?? Infinity) + spareTokens;
}

/** Upper bound of a prompt's tokens, since a token has at least one byte. Infinity for images and audio. */
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

  /** Length that most answers do not exceed. */
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
