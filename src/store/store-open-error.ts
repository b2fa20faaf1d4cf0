/** The database can't be used; the message names it, the reason and the remedy. */
export class StoreOpenError extends Error {
  override readonly name = 'StoreOpenError';
}
