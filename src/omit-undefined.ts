type Defined<Fields> = {
  readonly [Key in keyof Fields]?: Exclude<Fields[Key], null | undefined>;
};

/** Copies an object without its `undefined` and `null` fields, so that absent stays absent (`exactOptionalPropertyTypes`). */
export function omitUndefined<Fields extends object>(fields: Fields): Defined<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  ) as Defined<Fields>;
}
