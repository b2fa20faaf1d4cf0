/** The errors of this folder, in a separate file so that a command without a database does not load the store. */
export { StoreOpenError } from '../../store/store-errors.ts';

/** The work is impossible in this home folder; the message has advice for the user. */
export class OfflineError extends Error {
  override readonly name = 'OfflineError';
}
