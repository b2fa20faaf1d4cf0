import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type {
  Engine,
  EngineSlots,
  GenerationEvent,
  GenerationRequest,
} from '../../../src/engines/engine.ts';
import type { RequestContext } from '../../../src/kernel/request/request-context.ts';

const tokenCharacters = 4;

interface TokenEngineOptions {
  /** Cells of all slots together. The engine fails if it needs more. */
  readonly totalCells?: number;
  /** Maximum number of tokens in a slot. */
  readonly contextLength?: number;
  /** Number of tokens after which the model ends an answer. */
  readonly answerTokens?: number;
  /**
   * Number of tokens of prompt and answer together after which the model ends an answer, even if the answer is
   * continued.
   */
  readonly endTokens?: number;
  /** Number of tokens that the engine writes ahead of the client. */
  readonly aheadTokens?: number;
  readonly msPerToken?: number;
}

/**
 * An engine whose tokens have 4 characters. Its slots hold the tokens that it has read and written. The next token of
 * an answer depends on all tokens before it. With tools, it writes a call. Each operation first calls `step`, in which
 * a test can wait or throw.
 */
export class TokenEngine {
  readonly slots: EngineSlots;
  readonly engine: Engine;
  readonly contents = new Map<number, number[]>();
  /** The actions so far, such as `read 1: 64+136` or `save 1: 200`. */
  readonly calls: string[] = [];
  /** Total number of tokens that were read. */
  readTokens = 0;
  /** Maximum number of cells in use at the same time. */
  mostCells = 0;
  /** Maximum number of answers written at the same time. */
  mostWriting = 0;
  msPerToken: number;
  readonly #options: TokenEngineOptions;
  #writing = 0;
  #task: Promise<unknown> = Promise.resolve();
  step: (call: string, signal: AbortSignal) => Promise<void> = () => Promise.resolve();

  /** @param folder Folder for saved states. */
  constructor(folder: string, options: TokenEngineOptions = {}) {
    this.#options = options;
    this.msPerToken = options.msPerToken ?? 5;
    const path = (fileName: string): string => join(folder, fileName);
    this.slots = {
      tokenize: async (request, signal) => {
        await this.step('tokenize', signal);
        this.calls.push('tokenize');
        return tokensOf(request);
      },
      read: async ({ slot, reusesSlot }, tokens, signal) => {
        await this.step(`read ${slot}`, signal);
        const cachedTokens = this.#read('read', slot, tokens, reusesSlot);
        return { cachedTokens, promptMs: (tokens.length - cachedTokens) * this.msPerToken };
      },
      save: async (slot, fileName, signal) => {
        await this.step(`save ${slot}`, signal);
        const tokens = this.contents.get(slot) ?? [];
        await this.#alone(() => writeFile(path(fileName), JSON.stringify(tokens)));
        this.calls.push(`save ${slot}: ${tokens.length}`);
        return tokens.length;
      },
      restore: async (slot, fileName, signal) => {
        await this.step(`restore ${slot}`, signal);
        const tokens: number[] = JSON.parse(
          await this.#alone(() => readFile(path(fileName), 'utf8')),
        );
        this.#hold(slot, tokens);
        this.calls.push(`restore ${slot}: ${tokens.length}`);
        return tokens.length;
      },
      erase: async (slot, signal) => {
        await this.step(`erase ${slot}`, signal);
        await this.#alone(async () => this.contents.delete(slot));
        this.calls.push(`erase ${slot}`);
      },
    };
    this.engine = {
      generate: (request, context) => this.#generate(request, context),
      embed: () => Promise.reject(new Error('no embedding model')),
      rank: () => Promise.reject(new Error('no reranker')),
      renderPrompt: async () => undefined,
      countTokens: async (text) => Math.ceil(text.length / tokenCharacters),
      countPromptTokens: async (request) => tokensOf(request).length,
    };
  }

  async *#generate(
    request: GenerationRequest,
    { signal }: RequestContext,
  ): AsyncGenerator<GenerationEvent, void, void> {
    const { slot, reusesSlot = true } = request;
    if (slot === undefined) throw new Error('no slot');
    await this.step(`generate ${slot}`, signal);
    const tokens = tokensOf(request);
    const cachedTokens = this.#read('generate', slot, tokens, reusesSlot);
    const promptTokens = tokens.length;
    const usage = (completionTokens: number) => ({
      promptTokens,
      cachedTokens,
      completionTokens,
      promptMs: (promptTokens - cachedTokens) * this.msPerToken,
      generationMs: 1,
    });
    yield {
      type: 'prompt.progress',
      processedTokens: promptTokens,
      cachedTokens,
      totalTokens: promptTokens,
    };
    let count = 0;
    this.#writing += 1;
    this.mostWriting = Math.max(this.mostWriting, this.#writing);
    try {
      const limit = this.#limitOf(request, promptTokens);
      const written: string[] = [];
      let toldCount = 0;
      let hash = tokens.reduce(mixed, 0);
      while (count < limit) {
        signal.throwIfAborted();
        await this.step(`write ${slot}`, signal);
        await this.#task;
        const text = textOf(hash);
        const token = tokenOf(text);
        hash = mixed(hash, token);
        this.#append(slot, token);
        written.push(text);
        count += 1;
        const { aheadTokens = 1 } = this.#options;
        const least = count === limit ? 1 : aheadTokens;
        while (written.length >= least) {
          yield eventOf(request, toldCount === 0, written.splice(0, aheadTokens));
          toldCount += 1;
        }
      }
      await this.step(`end ${slot}`, signal);
    } catch (error) {
      if (count > 0) yield { type: 'generation.cut', usage: usage(count), reasoningTokens: 0 };
      throw error;
    } finally {
      this.#writing -= 1;
    }
    yield {
      type: 'generation.end',
      stopReason: 'eosFound',
      usage: usage(count),
      isMalformed: false,
    };
  }

  /** Stops writing tokens while a file is saved or restored, like llama-server. */
  #alone<Result>(work: () => Promise<Result>): Promise<Result> {
    const working = this.#task.then(work);
    this.#task = working.catch(() => {});
    return working;
  }

  #limitOf({ maxTokens = Infinity }: GenerationRequest, promptTokens: number): number {
    const { contextLength = Infinity, answerTokens = 1, endTokens = Infinity } = this.#options;
    const limit = endTokens === Infinity ? answerTokens : endTokens - promptTokens;
    return Math.max(0, Math.min(maxTokens, contextLength - promptTokens, limit));
  }

  #hold(slot: number, tokens: readonly number[]): void {
    this.contents.set(slot, [...tokens]);
    this.#count();
  }

  #append(slot: number, token: number): void {
    const content = this.contents.get(slot) ?? [];
    content.push(token);
    this.contents.set(slot, content);
    this.#count();
  }

  #count(): void {
    let cells = 0;
    for (const { length } of this.contents.values()) cells += length;
    this.mostCells = Math.max(this.mostCells, cells);
    const { totalCells = Infinity } = this.#options;
    if (cells > totalCells) throw new Error('Context size has been exceeded.');
  }

  #read(call: string, slot: number, tokens: readonly number[], reusesSlot: boolean): number {
    const before = reusesSlot ? (this.contents.get(slot) ?? []) : [];
    const end = tokens.findIndex((token, index) => token !== before[index]);
    const cached = Math.min(end === -1 ? tokens.length : end, tokens.length - 1);
    this.#hold(slot, tokens);
    this.readTokens += tokens.length - cached;
    this.calls.push(`${call} ${slot}: ${cached}+${tokens.length - cached}`);
    return cached;
  }
}

/** One number for each 4 characters. The messages of a chat are concatenated, so that a last answer is continued. */
export function tokensOf(request: GenerationRequest): number[] {
  const text =
    request.kind === 'chat'
      ? request.messages
          .map(({ content }) =>
            padded(typeof content === 'string' ? content : JSON.stringify(content)),
          )
          .join('')
      : String(request.prompt);
  return Array.from({ length: Math.ceil(text.length / tokenCharacters) }, (_, index) =>
    tokenOf(text.slice(index * tokenCharacters, (index + 1) * tokenCharacters)),
  );
}

function padded(text: string): string {
  return text.padEnd(Math.ceil(text.length / tokenCharacters) * tokenCharacters);
}

function tokenOf(text: string): number {
  return Buffer.from(text.padEnd(tokenCharacters)).readInt32LE();
}

function mixed(hash: number, token: number): number {
  return (Math.imul(hash ^ token, 0x01000193) + 0x9e3779b9) | 0;
}

function textOf(hash: number): string {
  return (hash >>> 0).toString(36).padStart(tokenCharacters, '0').slice(-tokenCharacters);
}

function eventOf(
  request: GenerationRequest,
  isFirst: boolean,
  texts: readonly string[],
): GenerationEvent {
  const text = texts.join('');
  if (request.kind === 'chat' && request.tools !== undefined) {
    const name = isFirst ? { id: 'call', name: 'look' } : {};
    return { type: 'toolCall.delta', index: 0, ...name, argumentsJson: text };
  }
  return { type: 'content.delta', text, ...(texts.length > 1 && { tokens: texts.length }) };
}
