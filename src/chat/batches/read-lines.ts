import { TimeSlice } from '../../kernel/concurrency/time-slice.ts';

/** A line of a file without its line end. */
export interface FileLine {
  /** From 1. */
  readonly line: number;
  /** Position of its first byte. */
  readonly start: number;
  readonly bytes: Buffer;
}

/** A line is longer than allowed. */
export class LongLineError extends Error {
  override readonly name = 'LongLineError';
  readonly line: number;

  constructor(line: number) {
    super(`Line ${line} is too long`);
    this.line = line;
  }
}

const newline = 0x0a;

/**
 * Splits a file that is read in pieces into lines, without empty ones. Other work of the event loop runs between them.
 *
 * @throws LongLineError
 */
export async function* readLines(
  pieces: AsyncIterable<Uint8Array>,
  maxLineBytes: number,
): AsyncGenerator<FileLine> {
  let rest: Uint8Array[] = [];
  let restBytes = 0;
  let line = 1;
  let start = 0;
  const slice = new TimeSlice();
  for await (const piece of pieces) {
    let from = 0;
    while (from < piece.byteLength) {
      // Skips empty lines early: slicing millions of them would take a minute.
      if (restBytes === 0 && piece[from] === newline) {
        line += 1;
        start += 1;
        from += 1;
        if (line % 100_000 === 0 && slice.isOver) await slice.pause();
        continue;
      }
      const end = piece.indexOf(newline, from);
      const part = piece.subarray(from, end === -1 ? piece.byteLength : end);
      rest.push(part);
      restBytes += part.byteLength;
      if (restBytes > maxLineBytes) throw new LongLineError(line);
      if (end === -1) break;
      // Pauses only when a time slice is over: for short lines, a promise each would cost more than the lines.
      if (slice.isOver) await slice.pause();
      if (restBytes > 0) yield { line, start, bytes: Buffer.concat(rest, restBytes) };
      start += restBytes + 1;
      line += 1;
      [rest, restBytes] = [[], 0];
      from = end + 1;
    }
  }
  if (restBytes > 0) yield { line, start, bytes: Buffer.concat(rest, restBytes) };
}
