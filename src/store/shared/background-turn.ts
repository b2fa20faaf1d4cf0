export type EndedStatus = 'completed' | 'failed' | 'cancelled';

/** A turn that outlives its request. All texts are JSON, defined by their writers. */
export interface StoredBackgroundTurn {
  /** Id of its response. */
  readonly id: string;
  readonly ownerId: string | null;
  readonly createdAt: Date;
  /** Its request, for clients that show it. */
  readonly head: string;
  /** `recovering`: its process has ended, and another one ends it. */
  readonly status: 'running' | 'recovering' | EndedStatus;
  readonly endedAt: Date | null;
  /** Why it failed. */
  readonly error: string | null;
  /** The response without output, which is stored if the process ends in the middle; null before it is known. */
  readonly draft: string | null;
}

/** Consecutive events of one turn. */
export interface EventPiece {
  readonly id: string;
  /** Position of the first one, from 0. */
  readonly first: number;
  readonly count: number;
  /** JSON array. */
  readonly events: string;
}

/** Turns in the background and their events, until some minutes after their end. */
export interface BackgroundTurnRepository {
  insert(turn: Pick<StoredBackgroundTurn, 'id' | 'ownerId' | 'createdAt' | 'head'>): Promise<void>;
  find(id: string): Promise<StoredBackgroundTurn | undefined>;
  setDraft(id: string, draft: string): Promise<void>;
  /** Events of any turns, in one statement. Events of turns that do not run are left out. */
  addEvents(pieces: readonly EventPiece[]): Promise<void>;
  /** Takes a turn from the process that ran it. False if it has ended or does not exist. */
  recover(id: string): Promise<boolean>;
  /** The last events of a turn that is recovered. */
  addEnd(piece: EventPiece): Promise<void>;
  /** The pieces with the event at a position and later ones, in order; a few at a time. */
  eventsFrom(id: string, position: number): Promise<readonly EventPiece[]>;
  /** Ends a turn; false if it is not in this status. */
  end(
    id: string,
    from: 'running' | 'recovering',
    end: { readonly status: EndedStatus; readonly error: string | null; readonly endedAt: Date },
  ): Promise<boolean>;
  /** Ids of turns that have not ended. */
  runningIds(): Promise<readonly string[]>;
  /** False if it does not run. */
  requestCancel(id: string): Promise<boolean>;
  /** The given turns for which a cancellation was requested. */
  cancelRequested(ids: readonly string[]): Promise<readonly string[]>;
  delete(id: string): Promise<void>;
  /** Deletes turns that ended before a time. */
  deleteEnded(before: Date): Promise<void>;
}
