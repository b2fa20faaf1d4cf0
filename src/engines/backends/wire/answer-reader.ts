import type { GenerationRequest, TokenLogprob } from '../../engine.ts';
import type { AnswerEvents } from './answer-events.ts';
import type { WireDialect } from './dialect.ts';
import {
  CallOrAnswerReader,
  ForcedCallReader,
  isCallForced,
  isCallOrFormat,
} from './forced-call.ts';
import { ReasoningReader } from './reasoning-reader.ts';
import { StopStringReader } from './stop-strings.ts';
import type { WireCallDelta } from './stream-event.ts';
import { ToolMarkupReader, type MarkupPiece } from './tool-markup.ts';

/**
 * Reads the text of an answer. Separates what the server leaves in it: reasoning, tool calls and stop strings, in this
 * order. A part that the server handles itself has no reader.
 */
export class AnswerReader {
  readonly #events: AnswerEvents;
  readonly #reasoning: ReasoningReader | undefined;
  /** Present if the text is a call. */
  readonly #forcedCall: ForcedCallReader | undefined;
  /** Present if the text is a call or an answer in a format. */
  readonly #callOrAnswer: CallOrAnswerReader | undefined;
  #markup: ToolMarkupReader | undefined;
  readonly #stopStrings: StopStringReader | undefined;
  /** Log probabilities of text that is not shown yet. */
  #heldLogprobs: TokenLogprob[] = [];
  #foundReasoning = false;
  #stopString: string | undefined;

  constructor(request: GenerationRequest, dialect: WireDialect, events: AnswerEvents) {
    this.#events = events;
    const { stop = [] } = request;
    if (stop.length > 0 && dialect.stopStrings[request.kind] === 'hearth') {
      this.#stopStrings = new StopStringReader(stop);
    }
    if (request.kind === 'completion') return;
    if (dialect.leavesReasoning) this.#reasoning = new ReasoningReader();
    const usesGrammar = dialect.toolChoice === 'grammar';
    if (usesGrammar && isCallForced(request)) this.#forcedCall = new ForcedCallReader();
    else if (usesGrammar && isCallOrFormat(request)) {
      this.#callOrAnswer = new CallOrAnswerReader((request.tools ?? []).map(({ name }) => name));
    } else {
      const place = dialect.leavesCalls(request);
      if (place !== 'nowhere') this.#markup = new ToolMarkupReader(place === 'atStart');
    }
  }

  /** The stop string that was found; the rest of the stream does not count. */
  get stopString(): string | undefined {
    return this.#stopString;
  }

  /** True if reasoning was found in the text and the server does not count it. */
  get foundReasoning(): boolean {
    return this.#foundReasoning;
  }

  addReasoning(text: string): void {
    this.#events.addText('reasoning.delta', this.#reasoning?.pushReasoning(text) ?? text);
  }

  /** Returns true if the text was reasoning. */
  addContent(text: string, logprobs: readonly TokenLogprob[]): boolean {
    if (logprobs.length > 0) this.#heldLogprobs.push(...logprobs);
    const reader = this.#reasoning;
    if (reader === undefined || reader.isInAnswer) {
      this.#addAnswer(text);
      return false;
    }
    const { reasoning, content } = reader.push(text);
    this.#addFoundReasoning(reasoning);
    if (content !== '') this.#addAnswer(content);
    else if (!reader.isHolding) this.#heldLogprobs = [];
    return reasoning !== '';
  }

  addCallDeltas(deltas: readonly WireCallDelta[]): void {
    this.#flush(true);
    if (this.#stopString === undefined) this.#events.addCallDeltas(deltas);
  }

  /** Flushes the text that was held. @param isCut True if a limit has ended the answer. */
  end(isCut: boolean): void {
    if (isCut) this.#addCall(this.#forcedCall?.endCut());
    const { text, call } = this.#callOrAnswer?.end(isCut) ?? {};
    if (text !== undefined) this.#show(text);
    this.#addCall(call);
    this.#flush();
  }

  #addFoundReasoning(text: string): void {
    if (text === '') return;
    this.#foundReasoning = true;
    this.#markup?.readAnywhere();
    this.#events.addText('reasoning.delta', text);
  }

  #addAnswer(text: string): void {
    if (this.#markup !== undefined) {
      this.#addPieces(this.#markup.push(text));
      if (this.#markup.isOff) this.#markup = undefined;
    } else if (this.#forcedCall !== undefined) {
      this.#addCall(this.#forcedCall.push(text));
    } else if (this.#callOrAnswer !== undefined) {
      const read = this.#callOrAnswer.push(text);
      if (read.text !== undefined) this.#show(read.text);
      this.#addCall(read.call);
    } else this.#show(text);
  }

  #addPieces(pieces: readonly MarkupPiece[]): void {
    for (const piece of pieces) {
      if (this.#stopString !== undefined) return;
      if (piece.type === 'text') {
        this.#show(piece.text);
      } else {
        this.#showHeld();
        this.#addCall(piece);
      }
    }
  }

  #addCall(call: { readonly name?: string; readonly argumentsJson: string } | undefined): void {
    if (call === undefined) return;
    this.#heldLogprobs = [];
    this.#events.addCall(call);
  }

  /** Shows all text that could have become a mark or a stop string. */
  #flush(isBeforeCall = false): void {
    if (this.#stopString !== undefined) return;
    const { reasoning = '', content = '' } = this.#reasoning?.end() ?? {};
    this.#addFoundReasoning(reasoning);
    if (content !== '') this.#addAnswer(content);
    if (this.#markup !== undefined) this.#addPieces(this.#markup.end(isBeforeCall));
    this.#showHeld();
  }

  #showHeld(): void {
    if (this.#stopString === undefined) this.#emit(this.#stopStrings?.end() ?? '');
  }

  #show(text: string): void {
    if (this.#stopStrings === undefined) {
      this.#emit(text);
      return;
    }
    const found = this.#stopStrings.push(text);
    if (found.stopString !== undefined) {
      this.#stopString = found.stopString;
      this.#heldLogprobs = tokensOf(found.text, this.#heldLogprobs);
    }
    this.#emit(found.text);
  }

  #emit(text: string): void {
    if (text === '') return;
    this.#events.addText('content.delta', text, this.#heldLogprobs);
    this.#heldLogprobs = [];
  }
}

/** The first tokens, as many as the text has. */
function tokensOf(text: string, logprobs: readonly TokenLogprob[]): TokenLogprob[] {
  let length = 0;
  return logprobs.filter(({ token }) => {
    const isInText = length < text.length;
    length += token.length;
    return isInText;
  });
}
