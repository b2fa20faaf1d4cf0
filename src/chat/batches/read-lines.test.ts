import { setImmediate as nextLoop } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { LongLineError, readLines } from './read-lines.ts';

async function* piecesOf(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

async function read(maxLineBytes: number, ...texts: readonly string[]) {
  const lines: unknown[] = [];
  for await (const { line, start, bytes } of readLines(piecesOf(...texts), maxLineBytes)) {
    lines.push([line, start, bytes.toString()]);
  }
  return lines;
}

it('joins the pieces of a line, and leaves out empty lines', async () => {
  expect(await read(10, '\none', ' line\n', '\n\n', '\r\nlast')).toEqual([
    [2, 1, 'one line'],
    [5, 12, '\r'],
    [6, 14, 'last'],
  ]);
  expect(await read(10)).toEqual([]);
  expect(await read(10, '\n')).toEqual([]);
});

it('refuses a line that is longer than allowed', async () => {
  expect(await read(3, 'abc\nabc\n')).toHaveLength(2);
  await expect(read(3, 'abc\nab', 'cd\n')).rejects.toMatchObject({ line: 2 });
  await expect(read(3, 'abcd')).rejects.toThrow(LongLineError);
});

it('lets other work run while it reads very many empty lines', async () => {
  let turns = 0;
  const done = new AbortController();
  const other = (async () => {
    for (; !done.signal.aborted; turns += 1) await nextLoop();
  })();
  expect(await read(10, '\n'.repeat(20_000_000))).toEqual([]);
  done.abort();
  await other;
  expect(turns).toBeGreaterThan(2);
});
