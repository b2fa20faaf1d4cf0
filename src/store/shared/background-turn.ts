export type EndedStatus = 'completed' | 'failed' | 'cancelled';

/** A turn that can outlive its request. All texts are JSON, defined by their writers. */
export interface StoredBackgroundTurn {
  /** Id of its response. */
  readonly id: string;
  readonly ownerId: string | null;
  readonly createdAt: Date;
  /** The turn's request, for clients that show it. */
  readonly head: string;
  /** `recovering`: the turn's process has ended, and another process ends the turn. */
  readonly status: 'running' | 'recovering' | EndedStatus;
  readonly endedAt: Date | null;
  /** The reason if the turn failed. */
  readonly error: string | null;
  /** The response without output, which is stored if the turn's process ends early; null until it is known. */
  readonly draft: string | null;
}

/** Consecutive events of one turn. */
export interface EventPiece {
  readonly id: string;
  /** Position of the first event, from 0. */
  readonly first: number;
  readonly count: number;
  /** JSON array. */
  readonly events: string;
}

/** Background turns and their events, kept until some minutes after their end. */
export interface BackgroundTurnRepository {
  insert(turn: Pick<StoredBackgroundTurn, 'id' | 'ownerId' | 'createdAt' | 'head'>): Promise<void>;
  find(id: string): Promise<StoredBackgroundTurn | undefined>;
  setDraft(id: string, draft: string): Promise<void>;
  /** Stores events of several turns in one statement, except events of turns that do not run. */
  addEvents(pieces: readonly EventPiece[]): Promise<void>;
  /** Takes a turn over from the process that ran it. False if the turn has ended or does not exist. */
  recover(id: string): Promise<boolean>;
  /** Stores the last events of a turn that is being recovered. */
  addEnd(piece: EventPiece): Promise<void>;
  /** Reads the next few pieces, in order, beginning with the one that has the event at `position`. */
  eventsFrom(id: string, position: number): Promise<readonly EventPiece[]>;
  /** Ends a turn; false if its status is not the given one. */
  end(
    id: string,
    from: 'running' | 'recovering',
    end: { readonly status: EndedStatus; readonly error: string | null; readonly endedAt: Date },
  ): Promise<boolean>;
  /** Ids of turns that have not ended. */
  runningIds(): Promise<readonly string[]>;
  /** False if the turn is not running. */
  requestCancel(id: string): Promise<boolean>;
  /** Filters turns to those with a requested cancellation. */
  cancelRequested(ids: readonly string[]): Promise<readonly string[]>;
  delete(id: string): Promise<void>;
  /** Deletes turns that ended before a time. */
  deleteEnded(before: Date): Promise<void>;
}
