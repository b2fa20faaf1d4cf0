import { randomUUID } from 'node:crypto';

const saneId = /^[A-Za-z0-9._-]{1,64}$/;

/** The id that the client sent if it is safe in a log and a header, or else a new UUID. */
export function requestIdOf(header: string | undefined): string {
  return header !== undefined && saneId.test(header) ? header : randomUUID();
}
