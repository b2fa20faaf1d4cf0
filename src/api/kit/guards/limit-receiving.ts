import type { IncomingMessage } from 'node:http';

/** Time to receive a whole request; an upload, which may take hours, only must not stall. */
const receiveTimeoutMs = 300_000;
const uploadStallMs = 60_000;
const uploadTypes = /^(?:application\/octet-stream|multipart\/form-data) *(?:;|$)/i;

/** Closes the connection of a client that takes too long to send its request. */
export function limitReceiving(incoming: IncomingMessage): void {
  const { headers } = incoming;
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return;
  const giveUp = (): void => void (incoming.complete || incoming.destroy());
  if (uploadTypes.test(headers['content-type'] ?? '')) {
    incoming.setTimeout(uploadStallMs, giveUp);
    incoming.once('end', () => incoming.setTimeout(0));
    return;
  }
  const timer = setTimeout(giveUp, receiveTimeoutMs);
  incoming.once('end', () => clearTimeout(timer)).once('close', () => clearTimeout(timer));
}
