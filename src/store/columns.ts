/** Column types whose SQL depends on the database: see `SchemaDialect.types`. */
export type ColumnType =
  | 'text'
  | 'bytes'
  | 'integer'
  | 'bigint'
  | 'double precision'
  /** Key of the entries; the database assigns it in ascending order. */
  | 'entry number'
  /** Key of the searchable texts, which are deleted with their entry. */
  | 'entry reference';

export interface Column<Value> {
  readonly type: ColumnType;
  /** SQL. */
  readonly constraints: string;
  /** Never set; carries the type that queries read. */
  readonly value?: Value;
}

export interface Table {
  readonly columns: Readonly<Record<string, Column<unknown>>>;
  /** Columns of the primary key if it has several. */
  readonly key?: readonly string[];
  /** Names and definitions in SQL. */
  readonly indexes?: Readonly<Record<string, string>>;
}

export const column = <Value>(type: ColumnType, constraints = 'not null'): Column<Value> => ({
  type,
  constraints,
});
export const key = column<string>('text', 'primary key');
export const text = column<string>('text');
export const optionalText = column<string | null>('text', '');
export const integer = column<number>('integer');
export const bigint = column<number>('bigint');
export const double = column<number>('double precision');
export const bytes = column<Uint8Array>('bytes');
/** 0 or 1. */
export const boolean = integer;
