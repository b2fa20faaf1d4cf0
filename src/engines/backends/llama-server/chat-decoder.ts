import { newCallId } from '../new-call-id.ts';
import type { ChatGeneration } from '../../engine.ts';
import { CallOrAnswerReader } from './call-or-answer.ts';
import { ForcedCallReader, isCallForced, isCallOrFormat, type CallPiece } from './forced-call.ts';
import { StopStringReader } from './stop-strings.ts';
import type { ChatChunk, WireLogprob, WireStop } from './stream-chunk.ts';
import { StreamDecoder } from './stream-decoder.ts';
import { ToolMarkupReader, type MarkupPiece } from './tool-markup.ts';

/** Reads the stream of `/v1/chat/completions`. */
export class ChatDecoder extends StreamDecoder<ChatChunk> {
  /** Present where the content is a call. */
  readonly #forcedCall: ForcedCallReader | undefined;
  /** Present where the content is a call or an answer in a format. */
  readonly #callOrAnswer: CallOrAnswerReader | undefined;
  /** Present where the engine does not look for calls itself. */
  readonly #markup: ToolMarkupReader | undefined;
  /** Present if the request has stop strings; the engine would also find them in the reasoning and in calls. */
  readonly #stopStrings: StopStringReader | undefined;
  #heldLogprobs: WireLogprob[] = [];
  #callCount = 0;

  constructor(request: ChatGeneration) {
    super(request);
    const { tools = [], toolChoice, stop = [] } = request;
    if (stop.length > 0) this.#stopStrings = new StopStringReader(stop);
    if (isCallForced(request)) this.#forcedCall = new ForcedCallReader();
    else if (isCallOrFormat(request)) {
      this.#callOrAnswer = new CallOrAnswerReader(tools.map(({ name }) => name));
    } else if (tools.length === 0 || toolChoice === 'none') this.#markup = new ToolMarkupReader();
  }

  protected override acceptChunk(chunk: ChatChunk): void {
    const choice = chunk.choices?.[0];
    const delta = choice?.delta;
    if (delta?.reasoning_content) this.acceptText('reasoning.delta', delta.reasoning_content);
    if (delta?.content) this.#acceptContent(delta.content, choice?.logprobs?.content ?? []);
    for (const call of delta?.tool_calls ?? []) {
      if (this.isStopped) break;
      this.#showHeld();
      this.acceptToolCall({
        type: 'toolCall.delta',
        index: call.index,
        ...(call.id === undefined ? {} : { id: call.id }),
        ...(call.function?.name === undefined ? {} : { name: call.function.name }),
        argumentsJson: call.function?.arguments ?? '',
      });
    }
    if (choice?.finish_reason) {
      const stopType = choice.finish_reason === 'length' ? 'limit' : 'eos';
      const stop: WireStop = chunk['__verbose'] ?? { stop_type: stopType };
      this.#endContent(stop.stop_type === 'limit');
      if (!this.isStopped) this.acceptStop(stop);
    }
    if (chunk.prompt_progress !== undefined) this.acceptProgress(chunk.prompt_progress);
    if (chunk.timings !== undefined) this.acceptTimings(chunk.timings);
    if (chunk.error !== undefined) this.acceptError(chunk.error);
  }

  #acceptContent(text: string, logprobs: readonly WireLogprob[]): void {
    if (this.#forcedCall !== undefined) {
      this.#acceptPiece(this.#forcedCall.push(text));
      return;
    }
    this.#heldLogprobs.push(...logprobs);
    if (this.#callOrAnswer !== undefined) {
      this.#acceptRead(this.#callOrAnswer.push(text));
      return;
    }
    if (this.#markup === undefined) this.#acceptVisible(text);
    else this.#acceptMarkup(this.#markup.push(text));
  }

  #endContent(isCut: boolean): void {
    if (isCut) this.#acceptPiece(this.#forcedCall?.endCut());
    this.#acceptRead(this.#callOrAnswer?.end(isCut) ?? {});
    this.#acceptMarkup(this.#markup?.end() ?? []);
    if (!this.isStopped) this.#showHeld();
  }

  #acceptRead({ text = '', call }: ReturnType<CallOrAnswerReader['push']>): void {
    if (text !== '') this.#acceptVisible(text);
    if (call === undefined) return;
    this.#acceptPiece(call);
    this.#heldLogprobs = [];
  }

  #acceptPiece(piece: CallPiece | undefined): void {
    if (piece === undefined) return;
    const id = piece.name === undefined ? {} : { id: newCallId() };
    this.acceptToolCall({ type: 'toolCall.delta', index: 0, ...id, ...piece });
  }

  #acceptMarkup(pieces: readonly MarkupPiece[]): void {
    for (const piece of pieces) {
      if (this.isStopped) return;
      if (piece.type === 'text') {
        this.#acceptVisible(piece.text);
        continue;
      }
      this.#showHeld();
      const { name, argumentsJson } = piece;
      const call = { index: this.#callCount, id: newCallId(), name, argumentsJson };
      this.acceptToolCall({ type: 'toolCall.delta', ...call });
      this.#callCount += 1;
      this.#heldLogprobs = [];
    }
  }

  #acceptVisible(text: string): void {
    const found = this.#stopStrings?.push(text) ?? { text };
    if (found.stopString === undefined) {
      this.#show(found.text);
    } else {
      this.#heldLogprobs = tokensOf(found.text, this.#heldLogprobs);
      this.#show(found.text);
      this.stopAt(found.stopString);
    }
  }

  /** The text that could have become a stop string. */
  #showHeld(): void {
    this.#show(this.#stopStrings?.end() ?? '');
  }

  #show(text: string): void {
    if (text === '') return;
    this.acceptText('content.delta', text, this.#heldLogprobs);
    this.#heldLogprobs = [];
  }
}

/** The first tokens, those of the text. */
function tokensOf(text: string, logprobs: readonly WireLogprob[]): WireLogprob[] {
  let length = 0;
  return logprobs.filter(({ token }) => {
    const isInText = length < text.length;
    length += token.length;
    return isInText;
  });
}
