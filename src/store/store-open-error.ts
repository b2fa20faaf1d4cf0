/** The database can't be used; the message names it, the reason and the remedy. */
export class StoreOpenError extends Error {
  override readonly name = 'StoreOpenError';
  /** True if no restart helps: the database is damaged, or was written by a newer version. */
  readonly isPermanent: boolean;

  constructor(
    message: string,
    options: { readonly cause?: unknown; readonly isPermanent?: boolean } = {},
  ) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.isPermanent = options.isPermanent ?? false;
  }
}
