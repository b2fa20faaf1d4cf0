import type { TurnEvent } from '../turn-event.ts';
import type { TurnRequest } from '../turn-request.ts';
import type { HearthError } from '../../kernel/errors/errors.ts';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import type { Numbered } from './replay-buffer.ts';

/** Request fields that a turn shows before its response is stored. */
export interface TurnHead extends Pick<
  TurnRequest,
  | 'model'
  | 'instructions'
  | 'previousResponseId'
  | 'conversationId'
  | 'metadata'
  | 'maxOutputTokens'
> {
  /** The initial response as JSON, in the format of the API that started the turn. */
  readonly initial?: unknown;
}

/** A background turn of this or another process. */
export interface FollowableTurn {
  readonly id: string;
  /** Id of the token that started it; null if none was used. */
  readonly ownerId: string | null;
  readonly createdAt: Date;
  readonly endedAt: Date | undefined;
  readonly isRunning: boolean;
  /** The error if the turn failed. */
  readonly error: HearthError | undefined;
  readonly head: TurnHead;
  /**
   * Yields the events after a position, which counts from 0, and then new ones until the end.
   *
   * @throws HearthError `response_not_found` if the next event is no longer kept; the error of a turn that failed
   *   before its first event; the signal's reason.
   */
  events(after: number, signal: AbortSignal): AsyncGenerator<Numbered<TurnEvent>>;
  /** The events of a turn so far; undefined if the first ones are no longer kept. */
  recorded(): Promise<readonly TurnEvent[] | undefined>;
}

export function headOf(request: TurnRequest, initial?: unknown): TurnHead {
  const { model, instructions, previousResponseId, conversationId } = request;
  const { metadata, maxOutputTokens } = request;
  return {
    model,
    ...omitUndefined({
      instructions,
      previousResponseId,
      conversationId,
      metadata,
      maxOutputTokens,
    }),
    ...(initial === undefined ? {} : { initial }),
  };
}
