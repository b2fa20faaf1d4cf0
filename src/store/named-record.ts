export type NamedRecordKind = 'preset' | 'prompt';

/** Whose record of this name and kind; the owner is a token, or null for callers without one. */
export interface NamedRecordKey {
  readonly kind: NamedRecordKind;
  readonly ownerId: string | null;
  readonly name: string;
}

export interface NamedRecord {
  readonly name: string;
  /** JSON object, defined by the API. */
  readonly content: unknown;
  /** 1 for a new record, and one more with each change. */
  readonly revision: number;
  readonly updatedAt: Date;
}

/** Settings and texts that a user keeps under a name. Each owner has names of its own. */
export interface NamedRecordRepository {
  /** In the order of their names. */
  list(kind: NamedRecordKind, ownerId: string | null): Promise<readonly NamedRecord[]>;
  names(kind: NamedRecordKind, ownerId: string | null): Promise<readonly string[]>;
  find(key: NamedRecordKey): Promise<NamedRecord | undefined>;
  /**
   * Creates or replaces a record.
   *
   * @param revision The revision to replace; 0: only create it; undefined: replace any.
   * @returns undefined, and nothing is changed, if the record has another revision.
   */
  put(key: NamedRecordKey, content: object, revision?: number): Promise<NamedRecord | undefined>;
  /** False if there is no such record, or it has another revision. */
  delete(key: NamedRecordKey, revision?: number): Promise<boolean>;
}
