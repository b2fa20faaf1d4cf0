import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type {
  Engine,
  EngineSlots,
  GenerationEvent,
  GenerationRequest,
} from '../../../src/engines/engine.ts';

const tokenCharacters = 4;
const msPerToken = 5;

/**
 * An engine of tokens of 4 characters, whose slots hold the tokens that it has read. Each call passes `step` first, in which a
 * test can wait or throw.
 */
export class TokenEngine {
  readonly slots: EngineSlots;
  readonly engine: Pick<Engine, 'generate'>;
  readonly contents = new Map<number, readonly number[]>();
  /** What was done, such as `read 1: 64+136` or `save 1: 200`. */
  readonly calls: string[] = [];
  /** Tokens that were read in all. */
  readTokens = 0;
  /** Most cells that the slots held together. */
  mostCells = 0;
  readonly #cache: { readonly totalCells: number; readonly contextLength: number };
  step: (call: string, signal: AbortSignal) => Promise<void> = () => Promise.resolve();

  /**
   * @param folder Where states are saved.
   * @param cache Cells of all slots together, without which it fails; with a context, it writes answers of full length.
   */
  constructor(folder: string, cache = { totalCells: Infinity, contextLength: 0 }) {
    this.#cache = cache;
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
        return { cachedTokens, promptMs: (tokens.length - cachedTokens) * msPerToken };
      },
      save: async (slot, fileName, signal) => {
        await this.step(`save ${slot}`, signal);
        const tokens = this.contents.get(slot) ?? [];
        await writeFile(path(fileName), JSON.stringify(tokens));
        this.calls.push(`save ${slot}: ${tokens.length}`);
        return tokens.length;
      },
      restore: async (slot, fileName, signal) => {
        await this.step(`restore ${slot}`, signal);
        const tokens: readonly number[] = JSON.parse(await readFile(path(fileName), 'utf8'));
        this.#hold(slot, tokens);
        this.calls.push(`restore ${slot}: ${tokens.length}`);
        return tokens.length;
      },
      erase: async (slot, signal) => {
        await this.step(`erase ${slot}`, signal);
        this.contents.delete(slot);
        this.calls.push(`erase ${slot}`);
      },
    };
    this.engine = {
      generate: (request, { signal }) => this.#generate(request, signal),
    };
  }

  async *#generate(
    request: GenerationRequest,
    signal: AbortSignal,
  ): AsyncGenerator<GenerationEvent> {
    const { slot, reusesSlot = true } = request;
    if (slot === undefined) throw new Error('no slot');
    await this.step(`generate ${slot}`, signal);
    const tokens = tokensOf(request);
    const cachedTokens = this.#read('generate', slot, tokens, reusesSlot);
    yield { type: 'content.delta', text: 'Hi' };
    const answer = this.#answerTo(request, tokens);
    this.#hold(slot, [...tokens, ...answer]);
    await this.step(`write ${slot}`, signal);
    const promptMs = (tokens.length - cachedTokens) * msPerToken;
    yield {
      type: 'generation.end',
      stopReason: 'eosFound',
      usage: {
        promptTokens: tokens.length,
        cachedTokens,
        completionTokens: answer.length,
        promptMs,
        generationMs: 1,
      },
      isMalformed: false,
    };
  }

  #answerTo(
    { maxTokens = Infinity }: GenerationRequest,
    tokens: readonly number[],
  ): readonly number[] {
    const length = Math.min(maxTokens, this.#cache.contextLength - tokens.length);
    return Array.from({ length: Math.max(0, length) }, () => 0);
  }

  #hold(slot: number, tokens: readonly number[]): void {
    this.contents.set(slot, tokens);
    const cells = [...this.contents.values()].reduce((sum, { length }) => sum + length, 0);
    this.mostCells = Math.max(this.mostCells, cells);
    if (cells > this.#cache.totalCells) throw new Error('Context size has been exceeded.');
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

/** A number for each 4 characters. */
export function tokensOf(request: GenerationRequest): readonly number[] {
  if (request.kind !== 'completion' || typeof request.prompt !== 'string') return [];
  const { prompt } = request;
  return Array.from({ length: Math.ceil(prompt.length / tokenCharacters) }, (_, index) =>
    Buffer.from(
      prompt.slice(index * tokenCharacters, (index + 1) * tokenCharacters).padEnd(4),
    ).readInt32LE(),
  );
}
