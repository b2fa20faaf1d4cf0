import type { GenerationEvent, GenerationRequest, TokenLogprob } from '../../engine.ts';
import { newCallId } from '../new-call-id.ts';
import type { WireDialect } from './dialect.ts';
import {
  CallOrAnswerReader,
  ForcedCallReader,
  isCallForced,
  isCallOrFormat,
  type CallPiece,
} from './forced-call.ts';
import { ReasoningReader } from './reasoning-reader.ts';
import { StopStringReader } from './stop-strings.ts';
import type { WireCallDelta } from './stream-event.ts';
import { markCharacters, ToolMarkupReader, type MarkupPiece } from './tool-markup.ts';

type TextKind = 'reasoning.delta' | 'content.delta';

/**
 * Reads the deltas of an answer and collects events. Separates reasoning, tool calls and stop strings, in this order,
 * if the server leaves them in the text. A part that the server handles itself has no reader. Consecutive deltas of
 * one kind become one event, since a fast model sends many tokens in one read.
 */
export class AnswerReader {
  readonly #reasoning: ReasoningReader | undefined;
  /** Present if the text is a call. */
  readonly #forcedCall: ForcedCallReader | undefined;
  /** Present if the text is a call or an answer in a format. */
  readonly #callOrAnswer: CallOrAnswerReader | undefined;
  /** Where the text may contain the markup of calls. */
  #callPlace: ReturnType<WireDialect['leavesCalls']> = 'nowhere';
  /** Created at the first text that may be markup. */
  #markup: ToolMarkupReader | undefined;
  readonly #stopStrings: StopStringReader | undefined;
  /** The stop string that was found. The rest of the stream is ignored. */
  stopString: string | undefined;
  /** Log probabilities of text that is not shown yet. */
  #heldLogprobs: TokenLogprob[] = [];
  #foundReasoning = false;
  #hasText = false;
  #events: GenerationEvent[] = [];
  /** Kind of the text that becomes the next event. */
  #kind: TextKind | undefined;
  #text = '';
  /** Pieces of `#text`, which are tokens for most servers. */
  #tokens = 0;
  hasOutput = false;
  /** True if the output contains more than reasoning. */
  hasAnswer = false;
  /** Drops any further calls, since servers may ignore `parallel_tool_calls`. */
  readonly #maxCalls: number;
  readonly callIds: string[] = [];
  /** Maps the server's index of a call to our number. */
  readonly #callNumbers = new Map<number, number>();

  constructor(request: GenerationRequest, dialect: WireDialect) {
    this.#maxCalls = request.kind === 'chat' && request.callsInParallel === false ? 1 : Infinity;
    const { stop = [] } = request;
    if (stop.length > 0 && dialect.stopStrings[request.kind] === 'hearth') {
      this.#stopStrings = new StopStringReader(stop);
    }
    if (request.kind === 'completion') return;
    if (dialect.leavesReasoning) this.#reasoning = new ReasoningReader();
    const tools = dialect.toolChoice === 'grammar' ? request.tools : undefined;
    if (tools && isCallForced(request)) this.#forcedCall = new ForcedCallReader();
    else if (tools && isCallOrFormat(request)) {
      this.#callOrAnswer = new CallOrAnswerReader(tools.map(({ name }) => name));
    } else this.#callPlace = dialect.leavesCalls(request);
  }

  /** True if reasoning was found in the text and the server does not count it. */
  get foundReasoning(): boolean {
    return this.#foundReasoning;
  }

  addReasoning(text: string): void {
    this.#collect('reasoning.delta', this.#reasoning?.pushReasoning(text) ?? text);
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

  /**
   * Adds the deltas of calls that the server parsed. Servers interleave the deltas of parallel calls, leave out the
   * index, begin a second call under the index of the first, send no id, or arguments as an object.
   */
  addCallDeltas(deltas: readonly (WireCallDelta | null)[]): void {
    this.#showHeld(true);
    if (this.stopString !== undefined) return;
    for (const delta of deltas) {
      const wireIndex = delta?.index ?? Math.max(0, this.callIds.length - 1);
      const id = textOf(delta?.id);
      const known = this.#callNumbers.get(wireIndex);
      const isOther = id !== '' && known !== undefined && this.callIds[known] !== id;
      const name = textOf(delta?.function?.name);
      const callArguments = delta?.function?.arguments;
      const argumentsJson =
        typeof callArguments === 'object' && callArguments !== null
          ? JSON.stringify(callArguments)
          : textOf(callArguments);
      if (known !== undefined && !(isOther && name !== '')) {
        if (argumentsJson !== '') this.#collectCall({ index: known, argumentsJson });
      } else if (name !== '') {
        // A call without a name can't be made, so it is dropped with its arguments.
        this.#callNumbers.set(wireIndex, this.callIds.length);
        this.#beginCall(id || newCallId(), name, argumentsJson);
      }
    }
  }

  addEvent(event: GenerationEvent): void {
    this.#endText();
    this.#events.push(event);
  }

  /** Shows the text that was held. @param isCut True if a limit has ended the answer. */
  end(isCut: boolean): void {
    if (isCut) this.#addCall(this.#forcedCall?.endCut());
    if (this.#callOrAnswer !== undefined) {
      const { text = '', call } = this.#callOrAnswer.end(isCut);
      this.#show(text);
      this.#addCall(call);
    }
    this.#showHeld();
  }

  /** Returns the events since the last call. */
  take(): readonly GenerationEvent[] {
    this.#endText();
    const events = this.#events;
    this.#events = [];
    return events;
  }

  #addFoundReasoning(text: string): void {
    if (text === '') return;
    this.#foundReasoning = true;
    if (this.#callPlace === 'atStart') this.#callPlace = 'anywhere';
    this.#markup?.readAnywhere();
    this.#collect('reasoning.delta', text);
  }

  #addAnswer(text: string): void {
    if (this.#forcedCall !== undefined) this.#addCall(this.#forcedCall.push(text));
    else if (this.#callOrAnswer !== undefined) {
      const read = this.#callOrAnswer.push(text);
      this.#show(read.text ?? '');
      this.#addCall(read.call);
    } else if (this.#markup !== undefined) this.#addMarkup(this.#markup, text);
    else if (this.#mayHaveCall(text)) {
      this.#markup = new ToolMarkupReader(this.#callPlace === 'atStart', this.#hasText);
      this.#addMarkup(this.#markup, text);
    } else this.#show(text);
  }

  /** True if the text may contain markup. Leading white space counts, since it belongs to the markup of a call. */
  #mayHaveCall(text: string): boolean {
    if (this.#callPlace === 'nowhere') return false;
    if (markCharacters.test(text)) return true;
    this.#hasText ||= text.trim() !== '';
    if (this.#hasText && this.#callPlace === 'atStart') this.#callPlace = 'nowhere';
    return !this.#hasText;
  }

  #addMarkup(markup: ToolMarkupReader, text: string): void {
    this.#addPieces(markup.push(text));
    if (!markup.isOff) return;
    this.#markup = undefined;
    this.#callPlace = 'nowhere';
  }

  #addPieces(pieces: readonly MarkupPiece[]): void {
    for (const piece of pieces) {
      if (this.stopString !== undefined) return;
      if (piece.type === 'text') {
        this.#show(piece.text);
      } else {
        if (this.#stopStrings !== undefined) this.#showStopString(this.#stopStrings);
        this.#addCall(piece);
      }
    }
  }

  /** Adds a piece of a call that was found in the text. A piece without a name continues the last call. */
  #addCall(call: CallPiece | undefined): void {
    if (call === undefined) return;
    this.#heldLogprobs = [];
    const { name, argumentsJson } = call;
    if (name === undefined) this.#collectCall({ argumentsJson, index: this.callIds.length - 1 });
    else this.#beginCall(newCallId(), name, argumentsJson);
  }

  /** Shows all text that was held because it might have become markup or a stop string. */
  #showHeld(isBeforeCall = false): void {
    if (this.stopString !== undefined) return;
    if (this.#reasoning !== undefined) {
      const { reasoning, content } = this.#reasoning.end();
      this.#addFoundReasoning(reasoning);
      if (content !== '') this.#addAnswer(content);
    }
    if (this.#markup !== undefined) this.#addPieces(this.#markup.end(isBeforeCall));
    if (this.#stopStrings !== undefined) this.#showStopString(this.#stopStrings);
  }

  /** Shows the text that was held because it might have become a stop string. */
  #showStopString(reader: StopStringReader): void {
    if (this.stopString === undefined) this.#collect('content.delta', reader.end());
  }

  #show(text: string): void {
    if (this.#stopStrings === undefined) {
      this.#collect('content.delta', text);
      return;
    }
    const found = this.#stopStrings.push(text);
    if (found.stopString !== undefined) {
      this.stopString = found.stopString;
      this.#heldLogprobs = tokensOf(found.text, this.#heldLogprobs);
    }
    this.#collect('content.delta', found.text);
  }

  /** Adds text to the next event. Text with log probabilities gets an event of its own. */
  #collect(type: TextKind, text: string): void {
    if (text === '') return;
    this.hasOutput = true;
    if (type === 'content.delta') {
      this.hasAnswer = true;
      if (this.#heldLogprobs.length > 0) {
        this.addEvent({ type, text, logprobs: this.#heldLogprobs });
        this.#heldLogprobs = [];
        return;
      }
    }
    if (this.#kind !== type) {
      this.#endText();
      this.#kind = type;
    }
    this.#text += text;
    this.#tokens += 1;
  }

  #beginCall(id: string, name: string, argumentsJson: string): void {
    this.callIds.push(id);
    this.#collectCall({ index: this.callIds.length - 1, id, name, argumentsJson });
  }

  #collectCall(delta: Omit<Extract<GenerationEvent, { type: 'toolCall.delta' }>, 'type'>): void {
    if (delta.index >= this.#maxCalls) return;
    this.hasOutput = true;
    this.hasAnswer = true;
    this.addEvent({ type: 'toolCall.delta', ...delta });
  }

  #endText(): void {
    if (this.#kind === undefined) return;
    const tokens = this.#tokens === 1 ? {} : { tokens: this.#tokens };
    this.#events.push({ type: this.#kind, text: this.#text, ...tokens });
    this.#tokens = 0;
    this.#kind = undefined;
    this.#text = '';
  }
}

/** Keeps the log probabilities of the tokens that the text contains. */
function tokensOf(text: string, logprobs: readonly TokenLogprob[]): TokenLogprob[] {
  let length = 0;
  return logprobs.filter(({ token }) => {
    const isInText = length < text.length;
    length += token.length;
    return isInText;
  });
}

/** A text of a server, or an empty one in place of a value of another type. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
