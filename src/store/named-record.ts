export type NamedRecordKind = 'preset' | 'prompt';

/** Identifies a record by owner, kind and name; the owner is a token, or null for callers without one. */
export interface NamedRecordKey {
  readonly kind: NamedRecordKind;
  readonly ownerId: string | null;
  readonly name: string;
}

export interface NamedRecord {
  readonly name: string;
  /** JSON object, defined by the API. */
  readonly content: unknown;
  /** 1 for a new record; increases by one with each change. */
  readonly revision: number;
  readonly updatedAt: Date;
}

/** Settings and texts that a user stores under a name. Names are unique per owner and kind. */
export interface NamedRecordRepository {
  /** Sorted by name. */
  list(kind: NamedRecordKind, ownerId: string | null): Promise<readonly NamedRecord[]>;
  names(kind: NamedRecordKind, ownerId: string | null): Promise<readonly string[]>;
  find(key: NamedRecordKey): Promise<NamedRecord | undefined>;
  /**
   * Creates or replaces a record.
   *
   * @param revision The revision to replace; 0: only create the record; undefined: replace any.
   * @returns undefined if the record has another revision; it stays unchanged then.
   */
  put(key: NamedRecordKey, content: object, revision?: number): Promise<NamedRecord | undefined>;
  /** False if there is no such record, or it has another revision. */
  delete(key: NamedRecordKey, revision?: number): Promise<boolean>;
}
