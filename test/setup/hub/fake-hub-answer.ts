import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { FakeContent } from './fake-hub-content.ts';
import type { FaultRegister, FaultsOf } from './fake-hub-faults.ts';

const pieceBytes = 256 * 1024;

interface Answer {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly headers: Readonly<Record<string, string>>;
  readonly content: FakeContent;
  readonly faults: FaultsOf;
  readonly register: FaultRegister;
  /** Called with each sent chunk of a file. */
  readonly onSent: (bytes: number) => void;
}

export interface ByteRange {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/** Parses a requested range; undefined if there is none or it can't be satisfied. */
export function parseRange(header: string | undefined, sizeBytes: number): ByteRange | undefined {
  const match = /^bytes=(\d+)-(\d*)$/.exec(header ?? '');
  if (match === null) return undefined;
  const start = Number(match[1]);
  const end = match[2] === '' ? sizeBytes : Math.min(Number(match[2]) + 1, sizeBytes);
  return start < end ? { start, end } : undefined;
}

/** Responds with a file or the requested range, applying the faults that match the request. */
export async function answerFile(answer: Answer): Promise<void> {
  const { incoming, outgoing, headers, content, faults } = answer;
  const { sizeBytes } = content;
  const header = incoming.headers.range;
  const range = faults.ignore_range === undefined ? parseRange(header, sizeBytes) : undefined;
  if (header !== undefined && range === undefined && faults.ignore_range === undefined) {
    outgoing.writeHead(416, { 'content-range': `bytes */${sizeBytes}` }).end();
    return;
  }
  const { start, end } = range ?? { start: 0, end: sizeBytes };
  const isLengthHidden = faults.short !== undefined || faults.long !== undefined;
  const shift = faults.wrong_range?.shiftBytes ?? 0;
  const total = faults.wrong_total?.totalBytes ?? sizeBytes;
  outgoing.writeHead(range === undefined ? 200 : 206, {
    ...headers,
    'accept-ranges': 'bytes',
    'content-type': 'application/octet-stream',
    ...(isLengthHidden ? {} : { 'content-length': end - start }),
    ...(range === undefined
      ? {}
      : { 'content-range': `bytes ${start + shift}-${end - 1 + shift}/${total}` }),
  });
  outgoing.flushHeaders();
  if (incoming.method === 'HEAD') {
    outgoing.end();
    return;
  }
  await sendBody(answer, start, end);
}

async function sendBody(answer: Answer, start: number, end: number): Promise<void> {
  const { outgoing, content, faults, register } = answer;
  const cut = Math.min(
    ...[faults.reset, faults.truncate, faults.short].map((fault) => fault?.afterBytes ?? Infinity),
  );
  const stop = Math.min(end, start + cut);
  const throttled = faults.throttle?.bytesPerSecond ?? Infinity;
  const atOnceBytes = Math.max(1, Math.min(pieceBytes, Math.floor(throttled / 20)));
  let stallAt = faults.stall === undefined ? Infinity : start + faults.stall.afterBytes;
  for (let offset = start; offset < stop && !outgoing.destroyed;) {
    if (offset >= stallAt) {
      stallAt = Infinity;
      await Promise.race([register.released(), closed(outgoing)]);
      continue;
    }
    const upTo = Math.min(stop, stallAt, offset + atOnceBytes);
    const piece = corrupted(content.read(offset, upTo - offset), offset, faults);
    offset += piece.length;
    answer.onSent(piece.length);
    await write(outgoing, piece);
    if (throttled < Infinity) await delay((piece.length / throttled) * 1000);
  }
  if (faults.long !== undefined) await write(outgoing, Buffer.alloc(faults.long.extraBytes));
  if (faults.reset !== undefined) outgoing.socket?.resetAndDestroy();
  else if (faults.truncate === undefined) outgoing.end();
  else outgoing.socket?.end();
}

function corrupted(piece: Buffer, offset: number, { corrupt }: FaultsOf): Buffer {
  if (corrupt === undefined) return piece;
  const index = corrupt.atByte - offset;
  if (index < 0 || index >= piece.length) return piece;
  const copy = Buffer.from(piece);
  copy[index] = (copy[index] ?? 0) ^ 0xff;
  return copy;
}

/** Waits until the socket accepts the data or closes. */
async function write(outgoing: ServerResponse, piece: Buffer): Promise<void> {
  if (outgoing.destroyed || outgoing.write(piece)) return;
  await new Promise<void>((resolve) => {
    const settle = (): void => {
      outgoing.off('drain', settle).off('close', settle);
      resolve();
    };
    outgoing.on('drain', settle).on('close', settle);
  });
}

/** Settles when the connection has closed or the response is complete. */
export function closed(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    if (outgoing.destroyed) resolve();
    else outgoing.once('close', () => resolve());
  });
}
