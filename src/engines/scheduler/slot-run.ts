import { linkAbort, type LinkedAbort } from '../../kernel/concurrency/linked-abort.ts';
import { withSignal, type RequestContext } from '../../kernel/request/request-context.ts';
import { canContinue, continueRequest } from '../continuation.ts';
import type { GenerationEvent, GenerationRequest } from '../engine.ts';
import type { GenerationAccount } from '../generation-account.ts';
import { withPieces, type ActivePrompt, type PrefillProgress, type ReadPieces } from './prefill.ts';
import { prefixHash, type CachedPrompt } from '../states/prefix-hash.ts';
import type { SlotManager } from '../states/slot-manager.ts';
import type { SlotUse } from '../states/slot-use.ts';
import { cellsFor, mostTokens } from './prompt-cells.ts';
import type { Place, ScheduledPrompt } from './place.ts';

/** Abort reason for the signal of a run that has ended. */
const ended = new Error('The run has ended.');
/** Cells by which the reservation of an answer grows. */
const growthTokens = 256;
/** A reservation grows when only this many cells are left, since the engine keeps writing until the decision. */
const marginTokens = 160;
/** An answer is paused when the engine has room for only this many more cells: it keeps writing until it stops. */
const urgentTokens = 64;
/** An answer without spaces is paused within a word after this many more tokens. */
const mostTokensToWord = 16;

type DeltaEvent = Extract<GenerationEvent, { readonly type: `${string}.delta` }>;

/** One generation, or a part of one, in a slot that Hearth chose. */
export class SlotRun implements ScheduledPrompt {
  readonly #place: Place;
  readonly #slots: SlotManager;
  readonly #account: GenerationAccount;
  /** The context of the generation; its signal also aborts when the generation is paused. */
  readonly context: RequestContext;
  /** Present only if the generation may be paused, since an abort signal has a cost. */
  readonly #pausing: LinkedAbort | undefined;
  readonly #request: GenerationRequest;
  readonly #prompt: ActivePrompt;
  /** Cells to reserve for the prompt and its answer. */
  #cells = 0;
  #use: SlotUse | undefined;
  #pieces: ReadPieces | undefined;
  #isWriting = false;
  /** Tokens of the answer with which it is paused at the latest; undefined unless it is to be paused. */
  #pauseAt: number | undefined;
  /** True once the generation was ended, to be continued later. */
  isPaused = false;
  #isAlone = false;
  /** Tokens of the answer from earlier parts. */
  readonly #tokensBefore: number;
  #cachedTokens: number | undefined;

  constructor(
    place: Place,
    slots: SlotManager,
    account: GenerationAccount,
    context: RequestContext,
  ) {
    this.#place = place;
    this.#slots = slots;
    this.#account = account;
    this.#pausing = slots.canRunFull ? linkAbort(context.signal) : undefined;
    this.context =
      this.#pausing === undefined ? context : withSignal(context, this.#pausing.signal);
    this.#tokensBefore = account.answer.tokens;
    this.#request =
      this.#tokensBefore === 0 ? account.request : continueRequest(account.request, account.answer);
    if (this.#tokensBefore > 0) account.answer.beginPart();
    this.#prompt = slots.prefill.open(this.#request, context.caller.tokenId);
  }

  /** The request to send to the engine, with the slot. */
  get request(): GenerationRequest {
    if (this.#use === undefined) throw new Error('no slot');
    const { slotId: slot, reusesSlot } = this.#use;
    return { ...this.#request, slot, reusesSlot: this.#pieces !== undefined || reusesSlot };
  }

  /**
   * Waits for a slot, and then for the turn of prefill if the prompt is long. Enters the queue synchronously.
   *
   * @throws The signal's reason when aborted.
   */
  async start(): Promise<void> {
    const { prefill, canRunFull } = this.#slots;
    const { signal } = this.context;
    if (canRunFull) this.#cells = this.#likelyCells(mostTokens(this.#request));
    const starting = this.#place.start(this, signal);
    if (canRunFull && this.#place.state === 'ready') void this.#countCells();
    this.#use = await starting;
    // The prompt may be long after all, if a state was not restored.
    const isLong = prefill.isLong(this.#prompt, this.#use?.expectedTokens);
    if (isLong && !this.#place.isReader) await this.#place.awaitPrefill(signal);
  }

  isLong(): boolean {
    return this.#slots.prefill.isLong(this.#prompt);
  }

  cellsToStart(): number | undefined {
    return this.#slots.cellsToReserve(this.#prompt.prefix, this.#cells);
  }

  isPausable(): boolean {
    return this.#slots.canRunFull && this.#canContinue;
  }

  take(): Promise<SlotUse> {
    return this.#slots.take(this.#prompt, this.#cells, this.context.signal);
  }

  /**
   * Ends the generation, which continues later. The end is before the next word: the engine reads the answer again,
   * and could split the beginning of a word into other tokens than it wrote.
   */
  pause(): void {
    if (!this.#isWriting) return this.#endPart();
    this.#pauseAt = this.#account.answer.tokens + mostTokensToWord;
  }

  /** Continues a generation later that the engine ended because its cache was full, if that is possible. */
  continueLater(): void {
    const { hasOutput } = this.#account;
    if (!this.#slots.canRunFull || (hasOutput && !this.#canContinue)) return;
    this.#place.pause();
    this.#endPart();
  }

  #endPart(): void {
    this.isPaused = true;
    this.#pausing?.abort(new Error('paused'));
  }

  /** Reads a long prompt in pieces. */
  async *prefill(): AsyncGenerator<PrefillProgress> {
    if (this.#use === undefined || !this.#place.isReader) return;
    this.#pieces = yield* this.#slots.prefill.read(this.#prompt, this.#use, this.context);
  }

  /**
   * Processes an event of the engine and returns the event for the client; undefined if the event belongs to the next
   * part.
   */
  accept(event: GenerationEvent): GenerationEvent | undefined {
    switch (event.type) {
      case 'prompt.progress':
        if (this.#slots.canRunFull) this.#place.need(this.#likelyCells(event.totalTokens));
        return this.#pieces === undefined
          ? event
          : { ...event, cachedTokens: this.#pieces.cachedTokens };
      case 'generation.cut':
        return this.#pieces ? { ...event, usage: withPieces(event.usage, this.#pieces) } : event;
      case 'generation.end': {
        this.#slots.prefill.learn(event.usage, this.#prompt, this.#isAlone);
        if (this.#slots.canRunFull) {
          this.#slots.answers.learn(this.#tokensBefore + event.usage.completionTokens);
        }
        const usage = this.#pieces ? withPieces(event.usage, this.#pieces) : event.usage;
        this.#cachedTokens = usage.cachedTokens;
        return { ...event, usage };
      }
      default:
        if (this.#endsBefore(event)) this.#endPart();
        if (this.isPaused) return undefined;
        this.#noteOutput();
        return event;
    }
  }

  /** Gives the slot back. */
  end(): void {
    const { prefill } = this.#slots;
    if (this.#isWriting) prefill.endWriting();
    this.#release();
    prefill.close(this.#prompt);
    this.#place.release();
    // Aborts the preparation of the slot if it is not complete.
    this.#pausing?.abort(ended);
    this.#slots.saveWhenIdle();
  }

  get #canContinue(): boolean {
    return canContinue(this.#account.request, this.#account.answer);
  }

  /** True if the answer is to be paused and the event begins a word or a tool call. */
  #endsBefore(event: DeltaEvent): boolean {
    const { answer } = this.#account;
    if (this.#pauseAt === undefined) return false;
    if (event.type === 'toolCall.delta' || answer.tokens >= this.#pauseAt) return true;
    const before = event.type === 'content.delta' ? answer.content : answer.reasoning;
    return /\S/.test(before.at(-1) ?? '') && /^\s/.test(event.text);
  }

  #noteOutput(): void {
    if (!this.#isWriting) {
      this.#isWriting = true;
      this.#isAlone = this.#slots.prefill.beginWriting();
      if (this.#place.isReader) this.#place.endPrefill();
    }
    if (!this.#slots.canRunFull) return;
    const { answer } = this.#account;
    const promptTokens = answer.promptTokens ?? 0;
    if (!this.#canContinue) {
      // An answer that has begun a tool call can't be continued, so it reserves cells for its maximum.
      this.#place.want(this.#likelyCells(promptTokens));
      return;
    }
    const tokens = promptTokens + answer.tokens - this.#tokensBefore;
    if (tokens + marginTokens > this.#place.cells) {
      const grown = tokens + marginTokens + growthTokens;
      this.#place.want(Math.min(this.#mostCells(promptTokens), grown));
    }
    if (this.#place.lacksRoomFor(tokens + urgentTokens)) this.#place.pause();
  }

  /** Lets the engine count the tokens of a waiting prompt, since the estimate is too high. */
  async #countCells(): Promise<void> {
    // The generation will report problems of the prompt.
    const tokens = await this.#prompt.tokens(this.context.signal).catch(() => undefined);
    if (tokens === undefined) return;
    this.#cells = this.#likelyCells(tokens.length);
    this.#place.recheck();
  }

  /** Cells for the prompt and an answer of the usual length; for the longest answer if it can't be paused. */
  #likelyCells(promptTokens: number): number {
    const { answers, canRunFull } = this.#slots;
    const longest = this.#mostCells(promptTokens);
    if (!canRunFull || !this.#canContinue) return longest;
    const answerTokens = Math.max(growthTokens, answers.usual - this.#tokensBefore);
    return Math.min(longest, promptTokens + answerTokens);
  }

  /** Cells for the prompt and the longest answer: up to its limit, or the rest of the context. */
  #mostCells(promptTokens: number): number {
    return Math.min(this.#slots.contextLength, cellsFor(promptTokens, this.#request));
  }

  #release(): void {
    const use = this.#use;
    if (use === undefined) return;
    const { answer, request } = this.#account;
    const { ownerId, responseId, prefix: ownPrefix } = this.#prompt;
    const isContinued = this.#request !== request;
    if (this.isPaused && answer.promptTokens !== undefined) {
      const tokens = answer.promptTokens + answer.tokens - this.#tokensBefore;
      const prefix = prefixHash(ownerId, continueRequest(request, answer));
      use.release({ ownerId, responseId, prefix, tokens, heldTokens: tokens }, undefined);
      return;
    }
    const prefix = isContinued ? prefixHash(ownerId, request) : ownPrefix;
    const content: CachedPrompt = {
      ownerId,
      responseId,
      ...answer.slotContent(request, prefix),
    };
    const settle = answer.isUnsettled(request)
      ? this.#slots.settleWith(use.slotId, content, request, answer)
      : undefined;
    use.release(content, this.#cachedTokens, settle);
  }
}
