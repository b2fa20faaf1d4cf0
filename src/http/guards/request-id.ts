import { randomUUID } from 'node:crypto';

const saneId = /^[A-Za-z0-9._-]{1,64}$/;

/** The client's own id where it can go into a log and a header as it is; else a new UUID. */
export function requestIdOf(header: string | undefined): string {
  return header !== undefined && saneId.test(header) ? header : randomUUID();
}
