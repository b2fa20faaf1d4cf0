import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { docxOf, paragraph, xlsxOf } from '../../../../test/setup/documents/office-file.ts';
import {
  explodingPdf,
  packedStream,
  pdfFile,
  pdfOf,
} from '../../../../test/setup/documents/pdf-file.ts';
import { deferred } from '../../../../test/setup/deferred.ts';
import { bundleScript } from '../../../../test/setup/engine/test-engines.ts';
import { useTemporaryFolder } from '../../../../test/setup/temporary-folder.ts';
import { DocumentReader } from './document-reader.ts';

const folder = useTemporaryFolder();
let script: string;
beforeAll(async () => {
  script = await bundleScript('src/chat/documents/read/document-thread-main.ts', folder.path);
});
const caller = { ownerId: null, signal: new AbortController().signal };
async function* piecesOf(...pieces: readonly Uint8Array[]) {
  yield* pieces;
}

it('reads a file that arrives in pieces', async () => {
  const bytes = docxOf(paragraph('Hello'));
  const pieces = piecesOf(bytes.subarray(0, 100), bytes.subarray(100));
  expect(await new DocumentReader(script).read('a.docx', pieces, caller)).toMatchObject({
    text: 'Hello',
  });
});

it('reads a file once for each caller, as long as its text is kept', async () => {
  const thread = `
    import { parentPort } from 'node:worker_threads';
    const text = String(Math.random());
    parentPort.postMessage({ document: { type: 'text/plain', text, sections: [], isTruncated: false } });`;
  const counting = join(folder.path, 'counting.mjs');
  await writeFile(counting, thread);
  const reader = new DocumentReader(counting);
  const read = async (bytes: string, ownerId: string | null, name = 'a.txt') => {
    const { text } = await reader.read(name, piecesOf(Buffer.from(bytes)), { ...caller, ownerId });
    return text;
  };
  const first = await read('a', 'me');
  expect(await read('a', 'me')).toBe(first);
  const others = [await read('b', 'me'), await read('a', 'other'), await read('a', 'me', 'a.csv')];
  expect(new Set([first, ...others]).size).toBe(4);
});

it('names the file, its fault and the remedy', async () => {
  const read = new DocumentReader(script).read('a.docx', piecesOf(Buffer.from('PK')), caller);
  await expect(read).rejects.toMatchObject({
    code: 'invalid_document',
    message: expect.stringMatching(
      /^a\.docx is damaged: .*Open it in its program and save it again/,
    ),
  });
});

it('refuses a file that is too large, without reading it to its end', async () => {
  let read = 0;
  async function* endless() {
    for (;;) {
      read += 1;
      yield new Uint8Array(10_000_000);
    }
  }
  await expect(new DocumentReader(script).read('a.txt', endless(), caller)).rejects.toThrow(
    'a.txt is larger than 50 MB.',
  );
  expect(read).toBe(6);
});

it('ends a thread that takes too long, needs too much memory, or whose client left', async () => {
  const bomb = xlsxOf(
    { A: '' },
    { 'xl/sharedStrings.xml': `<sst>${'<si/>'.repeat(4_000_000)}</sst>` },
  );
  const read = (limits: { timeoutMs?: number; memoryMb?: number }, signal = caller.signal) =>
    new DocumentReader(script, limits).read('a.xlsx', piecesOf(bomb), { ownerId: null, signal });
  await expect(read({ timeoutMs: 10 })).rejects.toThrow('a.xlsx takes more than 0.01 s to read.');
  await expect(read({ memoryMb: 16 })).rejects.toThrow('a.xlsx needs more than 16 MB of memory.');
  const controller = new AbortController();
  const left = read({}, controller.signal);
  controller.abort(new Error('the client left'));
  await expect(left).rejects.toThrow('the client left');
});

it('reads a PDF', async () => {
  const pieces = piecesOf(pdfOf(['Hello']));
  expect(await new DocumentReader(script).read('a.pdf', pieces, caller)).toMatchObject({
    type: 'application/pdf',
    text: '## Page 1\n\nHello',
  });
});

const packedObjects = pdfFile([
  '<< /Type /Catalog /Pages 2 0 R >>',
  packedStream(400_000_000, '1 0 ', '/Type /ObjStm /N 1000 /First 8000'),
]);
it.each([
  ['a page', explodingPdf()],
  ['a stream of objects', packedObjects],
])('ends reading a PDF with %s that unpacks to 400 MB', async (_, bytes) => {
  const before = process.memoryUsage.rss();
  const reader = new DocumentReader(script, { memoryMb: 128 });
  await expect(reader.read('bomb.pdf', piecesOf(bytes), caller)).rejects.toThrow(
    /^bomb\.pdf (needs more than 128 MB of memory|is damaged)/,
  );
  expect(process.memoryUsage.rss() - before).toBeLessThan(600_000_000);
});

it('lets a caller wait with four files, and all with sixteen', async () => {
  const reader = new DocumentReader(script);
  const end = deferred<Uint8Array>();
  async function* slow() {
    yield await end.promise;
  }
  const read = (ownerId: string | null) => reader.read('a.txt', slow(), { ...caller, ownerId });
  const waiting = ['a', 'b', 'c', null].flatMap((owner) =>
    Array.from({ length: 4 }, () => read(owner)),
  );
  await expect(read('a')).rejects.toMatchObject({ code: 'queue_full' });
  await expect(read('d')).rejects.toMatchObject({ code: 'queue_full' });
  end.reject(new Error('The upload broke off.'));
  const ended = await Promise.allSettled(waiting);
  expect(ended.map(({ status }) => status)).toEqual(Array.from({ length: 16 }, () => 'rejected'));
  expect(await reader.read('a.txt', piecesOf(Buffer.from('a')), caller)).toMatchObject({
    text: 'a',
  });
});
