type Given<Fields> = {
  readonly [Key in keyof Fields]?: Exclude<Fields[Key], null | undefined>;
};

/** The fields that have a value: one that is left out is not there, rather than undefined or null. */
export function given<Fields extends object>(fields: Fields): Given<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  ) as Given<Fields>;
}
