import { newCallId } from '../new-call-id.ts';
import type { GenerationEvent, GenerationRequest, GenerationUsage } from '../../engine.ts';
import type { GenerationDecoder } from '../llama-server/generate.ts';
import { StopStringReader } from '../llama-server/stop-strings.ts';
import { ToolMarkupReader, type MarkupPiece } from '../llama-server/tool-markup.ts';
import { RemoteStreamDecoder } from '../remote/stream-decoder.ts';
import { mlxStreamFailure } from './mlx-failure.ts';

type EndEvent = Extract<GenerationEvent, { type: 'generation.end' }>;

/**
 * Reads a stream of mlx-lm's server. Finds the stop strings, and the calls of tools that the server leaves in the text of a
 * model whose markup it does not know.
 */
export class MlxDecoder implements GenerationDecoder {
  readonly #remote: RemoteStreamDecoder;
  readonly #markup: ToolMarkupReader | undefined;
  readonly #stopStrings: StopStringReader;
  readonly #maxCalls: number;
  readonly #reasoning = new ReasoningMargins();
  #callCount = 0;
  #stopString: string | undefined;

  constructor(request: GenerationRequest) {
    const isChat = request.kind === 'chat';
    this.#remote = new RemoteStreamDecoder(request);
    this.#markup = isChat ? new ToolMarkupReader() : undefined;
    this.#stopStrings = new StopStringReader(request.stop ?? []);
    this.#maxCalls = isChat && request.callsInParallel === false ? 1 : Infinity;
  }

  get hasOutput(): boolean {
    return this.#remote.hasOutput;
  }

  get isStopped(): boolean {
    return this.#stopString !== undefined;
  }

  get reasoningTokens(): number {
    return this.#remote.reasoningTokens;
  }

  usage(): GenerationUsage {
    return this.#remote.usage();
  }

  decode(chunks: readonly Buffer[]): readonly GenerationEvent[] {
    try {
      const events = this.#remote.decode(chunks).flatMap((event) => this.#read(event));
      return this.#remote.isFinished ? [...events, ...this.#takeHeld()] : events;
    } catch (error) {
      throw mlxStreamFailure(error);
    }
  }

  /** @throws HearthError `crashed` if the stream was cut; the error that the server reported in it. */
  end(): EndEvent {
    if (this.#stopString !== undefined) {
      const { reasoningTokens } = this;
      return {
        type: 'generation.end',
        stopReason: 'stopStringFound',
        stopString: this.#stopString,
        usage: this.usage(),
        reasoningTokens,
        isMalformed: false,
      };
    }
    try {
      const end = this.#remote.end();
      const isCall = this.#callCount > 0 && end.stopReason === 'eosFound';
      return isCall ? { ...end, stopReason: 'toolCalls' } : end;
    } catch (error) {
      throw mlxStreamFailure(error);
    }
  }

  #read(event: GenerationEvent): readonly GenerationEvent[] {
    if (this.isStopped) return [];
    if (event.type === 'toolCall.delta') {
      // The server sends a call as a whole.
      return [...this.#takeHeld(), ...this.#call(event)];
    }
    if (event.type === 'reasoning.delta') {
      const text = this.#reasoning.ofReasoning(event.text);
      return text === '' ? [] : [{ ...event, text }];
    }
    if (event.type !== 'content.delta') return [event];
    const text = this.#reasoning.ofContent(event.text);
    return this.#markup === undefined
      ? this.#show(text)
      : this.#readPieces(this.#markup.push(text));
  }

  #readPieces(pieces: readonly MarkupPiece[]): readonly GenerationEvent[] {
    return pieces.flatMap((piece) => {
      if (this.isStopped) return [];
      if (piece.type === 'text') return this.#show(piece.text);
      const { name, argumentsJson } = piece;
      return [...this.#showHeld(), ...this.#call({ id: newCallId(), name, argumentsJson })];
    });
  }

  #call(call: {
    readonly id?: string;
    readonly name?: string;
    readonly argumentsJson: string;
  }): readonly GenerationEvent[] {
    const index = this.#callCount;
    if (index >= this.#maxCalls) return [];
    this.#callCount += 1;
    return [{ ...call, type: 'toolCall.delta', index }];
  }

  #show(text: string): readonly GenerationEvent[] {
    const found = this.#stopStrings.push(text);
    this.#stopString = found.stopString;
    return toContent(found.text);
  }

  #takeHeld(): readonly GenerationEvent[] {
    if (this.isStopped) return [];
    const events = this.#readPieces(this.#markup?.end() ?? []);
    return this.isStopped ? events : [...events, ...this.#showHeld()];
  }

  /** The text that could have become a stop string. */
  #showHeld(): readonly GenerationEvent[] {
    return toContent(this.#stopStrings.end());
  }
}

/** Removes the line breaks that chat templates have around a thought, as llama.cpp does. */
class ReasoningMargins {
  #hasReasoning = false;
  #isAtContent = false;
  #held = '';

  ofReasoning(text: string): string {
    const pending = this.#held + text;
    const begun = this.#hasReasoning ? pending : pending.trimStart();
    const shown = begun.trimEnd();
    this.#held = begun.slice(shown.length);
    this.#hasReasoning ||= shown !== '';
    return shown;
  }

  ofContent(text: string): string {
    if (!this.#hasReasoning || this.#isAtContent) return text;
    const shown = text.trimStart();
    this.#isAtContent = shown !== '';
    return shown;
  }
}

function toContent(text: string): readonly GenerationEvent[] {
  return text === '' ? [] : [{ type: 'content.delta', text }];
}
