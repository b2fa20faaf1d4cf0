import { linkAbort, type LinkedAbort } from '../../kernel/concurrency/linked-abort.ts';
import { withSignal, type RequestContext } from '../../telemetry/request-context.ts';
import { canContinue, continueRequest } from '../continuation.ts';
import type { GenerationEvent, GenerationRequest } from '../engine.ts';
import type { GenerationAccount } from '../generation-account.ts';
import { withPieces, type ActivePrompt, type PrefillProgress, type ReadPieces } from './prefill.ts';
import { prefixHash, type CachedPrompt } from '../states/prefix-hash.ts';
import type { ManagedSlots } from '../states/managed-slots.ts';
import type { SlotUse } from '../states/slot-manager.ts';
import { cellsFor, mostTokens } from './prompt-cells.ts';
import type { Place, ScheduledPrompt } from './place.ts';

/** The reason of signals whose run has ended. */
const ended = new Error('The run has ended.');
/** Cells by which the reservation of an answer grows. */
const growthTokens = 256;
/** An answer grows when so few of its cells are left: tokens that the engine writes until the growth is decided. */
const marginTokens = 160;
/** An answer is paused when so few cells are left that the engine has room for: tokens that it writes until it stops. */
const urgentTokens = 64;

/** One generation, or a part of one, in a slot that Hearth chose. */
export class SlotRun implements ScheduledPrompt {
  readonly #place: Place;
  readonly #managed: ManagedSlots;
  readonly #account: GenerationAccount;
  /** The context of the generation; its signal also aborts when the generation is paused. */
  readonly context: RequestContext;
  /** Present if the generation may be paused: an abort signal is not free. */
  readonly #pausing: LinkedAbort | undefined;
  readonly #request: GenerationRequest;
  readonly #prompt: ActivePrompt;
  /** Cells for the prompt and its answer. */
  #cells = 0;
  #use: SlotUse | undefined;
  #pieces: ReadPieces | undefined;
  #isWriting = false;
  #isAlone = false;
  /** Tokens of the answer that earlier parts wrote. */
  readonly #tokensBefore: number;
  #cachedTokens: number | undefined;

  constructor(
    place: Place,
    managed: ManagedSlots,
    account: GenerationAccount,
    context: RequestContext,
  ) {
    this.#place = place;
    this.#managed = managed;
    this.#account = account;
    this.#pausing = managed.canRunFull ? linkAbort(context.signal) : undefined;
    this.context =
      this.#pausing === undefined ? context : withSignal(context, this.#pausing.signal);
    this.#tokensBefore = account.answer.tokens;
    this.#request =
      this.#tokensBefore === 0 ? account.request : continueRequest(account.request, account.answer);
    account.answer.beginPart();
    this.#prompt = managed.prefill.open(this.#request, context.caller.tokenId);
  }

  /** The request for the engine. */
  get request(): GenerationRequest {
    if (this.#use === undefined) throw new Error('no slot');
    const { slotId: slot, reusesSlot } = this.#use;
    return { ...this.#request, slot, reusesSlot: this.#pieces !== undefined || reusesSlot };
  }

  get isPaused(): boolean {
    return this.#place.isPausing;
  }

  /**
   * To be called before `start`.
   *
   * @throws The signal's reason when aborted.
   */
  async prepare(): Promise<void> {
    await this.#managed.interruptIdle();
    if (this.#managed.canRunFull) this.#cells = this.#likelyCells(mostTokens(this.#request));
  }

  /**
   * Waits for a slot, from the call on, and for the turn of prefill if the prompt is long.
   *
   * @throws The signal's reason when aborted.
   */
  async start(): Promise<void> {
    const { prefill, canRunFull } = this.#managed;
    const { signal } = this.context;
    const starting = this.#place.start(this, signal);
    if (canRunFull && this.#place.state === 'ready') void this.#countCells();
    this.#use = await starting;
    // A state was not restored, so that the prompt is long after all.
    const isLong = prefill.isLong(this.#prompt, this.#use?.expectedTokens);
    if (isLong && !this.#place.isReader) await this.#place.awaitPrefill(signal);
  }

  isLong(): boolean {
    return this.#managed.prefill.isLong(this.#prompt);
  }

  cellsToStart(): number | undefined {
    return this.#managed.manager.cellsToReserve(this.#prompt.prefix, this.#cells);
  }

  isPausable(): boolean {
    return this.#managed.canRunFull && this.#canContinue;
  }

  take(): Promise<SlotUse> {
    return this.#managed.manager.take(this.#prompt, this.#cells, this.context.signal);
  }

  pause(): void {
    this.#pausing?.abort(new Error('paused'));
  }

  /** Reads a long prompt in pieces. */
  async *prefill(): AsyncGenerator<PrefillProgress> {
    if (this.#use === undefined || !this.#place.isReader) return;
    this.#pieces = yield* this.#managed.prefill.read(this.#prompt, this.#use, this.context);
  }

  /** Notes an event of the engine and returns the event for the client. */
  accept(event: GenerationEvent): GenerationEvent {
    switch (event.type) {
      case 'prompt.progress':
        if (this.#managed.canRunFull) this.#place.need(this.#likelyCells(event.totalTokens));
        return this.#pieces === undefined
          ? event
          : { ...event, cachedTokens: this.#pieces.cachedTokens };
      case 'generation.cut':
        return this.#pieces ? { ...event, usage: withPieces(event.usage, this.#pieces) } : event;
      case 'generation.end': {
        this.#managed.prefill.learn(event.usage, this.#prompt, this.#isAlone);
        if (this.#managed.canRunFull) {
          this.#managed.answers.learn(this.#tokensBefore + event.usage.completionTokens);
        }
        const usage = this.#pieces ? withPieces(event.usage, this.#pieces) : event.usage;
        this.#cachedTokens = usage.cachedTokens;
        return { ...event, usage };
      }
      default:
        this.#noteOutput();
        return event;
    }
  }

  /** Gives the slot back. */
  end(): void {
    const { prefill } = this.#managed;
    if (this.#isWriting) prefill.endWriting();
    this.#release();
    prefill.close(this.#prompt);
    this.#place.release();
    // A slot that is still being prepared is given back.
    this.#pausing?.abort(ended);
    this.#managed.saveWhenIdle();
  }

  get #canContinue(): boolean {
    return canContinue(this.#account.request, this.#account.answer);
  }

  #noteOutput(): void {
    if (!this.#isWriting) {
      this.#isWriting = true;
      this.#isAlone = this.#managed.prefill.beginWriting();
      if (this.#place.isReader) this.#place.endPrefill();
    }
    if (!this.#managed.canRunFull) return;
    const { answer } = this.#account;
    const promptTokens = answer.promptTokens ?? 0;
    if (!this.#canContinue) {
      // A tool call has begun.
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

  /** Lets the engine count a prompt that waits: the estimate is more than it needs. */
  async #countCells(): Promise<void> {
    // The generation reports problems of the prompt.
    const tokens = await this.#prompt.tokens(this.context.signal).catch(() => undefined);
    if (tokens === undefined) return;
    this.#cells = this.#likelyCells(tokens.length);
    this.#place.recheck();
  }

  /** The whole answer if it can't be paused. */
  #likelyCells(promptTokens: number): number {
    const { answers, canRunFull } = this.#managed;
    const longest = this.#mostCells(promptTokens);
    if (!canRunFull || !this.#canContinue) return longest;
    const answerTokens = Math.max(growthTokens, answers.usual - this.#tokensBefore);
    return Math.min(longest, promptTokens + answerTokens);
  }

  /** The whole answer: its limit, or the rest of the context. */
  #mostCells(promptTokens: number): number {
    return Math.min(this.#managed.contextLength, cellsFor(promptTokens, this.#request));
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
      ? this.#managed.settleWith(use.slotId, content, request, answer)
      : undefined;
    use.release(content, this.#cachedTokens, settle);
  }
}
