/** The errors of this folder. Apart from the rest, so that a command that opens nothing loads no store. */
export { StoreOpenError } from '../../store/store-errors.ts';

/** The work is impossible in this home folder; the message has advice for the user. */
export class OfflineError extends Error {
  override readonly name = 'OfflineError';
}
