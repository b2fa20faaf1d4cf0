import { expect, it } from 'vitest';
import {
  archiveOf,
  docxOf,
  epubOf,
  openDocumentOf,
  paragraph,
  relations,
  xlsxOf,
} from '../../../../test/setup/documents/office-file.ts';
import {
  deepPdf,
  encryptedPdf,
  pdfOf,
  pdfWith,
  scannedPdf,
  streamOf,
} from '../../../../test/setup/documents/pdf-file.ts';
import { zipOf } from '../../../../test/setup/zip.ts';
import { readDocument } from './read-document.ts';

const ole = Buffer.from('d0cf11e0a1b11ae1', 'hex');
const partOf = (entry: Partial<Parameters<typeof zipOf>[0][number]>) =>
  zipOf([
    { name: '_rels/.rels', content: relations(['officeDocument', 'word/document.xml']) },
    { name: 'word/document.xml', content: paragraph('text'), ...entry },
  ]);
const nested = (depth: number) => `${'<w:sdt>'.repeat(depth)}${paragraph('deep')}`;
const encryptedChapter =
  '<encryption><CipherReference URI="OEBPS/text/chapter%201.xhtml"/></encryption>';

it.each<[string, Buffer, RegExp]>([
  ['an old file', Buffer.concat([ole, Buffer.alloc(600)]), /before 2007. Save it as .docx/],
  [
    'an encrypted file',
    Buffer.concat([ole, Buffer.from('EncryptedPackage', 'utf16le')]),
    /^is protected with a password. Remove/,
  ],
  ['an encrypted part', partOf({ isEncrypted: true }), /^is protected with a password. Remove/],
  [
    'an encrypted OpenDocument',
    openDocumentOf('text', '', {
      'META-INF/manifest.xml': '<manifest:encryption-data/>',
    }),
    /^is protected with a password. Remove/,
  ],
  [
    'a book with DRM',
    epubOf(['<p>a</p>'], { 'META-INF/encryption.xml': encryptedChapter }),
    /^is protected against copying/,
  ],
  ['a book without chapters', archiveOf({ mimetype: 'application/epub+zip' }), /^is damaged/],
  ['a PDF without pages', Buffer.from('%PDF-1.7'), /^is damaged: .* save it again/],
  ['half a PDF', pdfOf(['a']).subarray(0, 300), /^is damaged: .* save it again/],
  ['an encrypted PDF', encryptedPdf(), /^is protected with a password. Remove/],
  ['a scanned PDF', scannedPdf(), /^has no text: its pages are pictures. Run text recognition/],
  ['a PDF with a deep page tree', deepPdf(50_000), /^has no text/],
  ['a PDF with deep arrays', pdfWith([streamOf('['.repeat(200_000))]), /^has no text/],
  ['rich text', Buffer.from('{\\rtf1 a}'), /^is in Rich Text Format. Save it as .docx/],
  [
    'a program',
    Buffer.from([0x7f, 0, 255, 1]),
    /^has no text that can be read. PDF, files of Word/,
  ],
  ['an archive', archiveOf({ 'a.txt': 'a' }), /^is an archive of other files/],
  ['an empty file', Buffer.alloc(0), /^is empty/],
  ['a file without text', docxOf(''), /^has no text/],
  ['half a file', docxOf(paragraph('a')).subarray(0, 300), /^is damaged: .* save it again/],
  ['a path out of the archive', zipOf([{ name: '../a', content: '' }]), /^is damaged/],
  ['a part that claims less', partOf({ claimedBytes: 3 }), /^is damaged/],
  [
    'a part that claims too much',
    partOf({ claimedBytes: 400_000_000 }),
    /more than 300 MB. Divide/,
  ],
  ['deep XML', docxOf(nested(3000)), /^is nested more than 2000 levels/],
  ['deep HTML', Buffer.from(`<html>${'<b>'.repeat(3000)}`), /^is nested more than 2000 levels/],
  [
    'many parts',
    zipOf(Array.from({ length: 10_001 }, (_, index) => ({ name: String(index), content: '' }))),
    /^has more than 10000 parts/,
  ],
])('refuses %s', async (_, bytes, message) => {
  await expect(readDocument('a.doc', bytes)).rejects.toMatchObject({
    name: 'DocumentError',
    message: expect.stringMatching(message),
  });
});

it('expands no entities of a file, and loads none', async () => {
  const laughs = Array.from(
    { length: 30 },
    (_, index) => `<!ENTITY l${index + 1} "&l${index};&l${index};">`,
  );
  const doctype = `<!DOCTYPE x [<!ENTITY l0 "ha"><!ENTITY file SYSTEM "file:///etc/passwd">${laughs.join('')}]>`;
  const body = paragraph('a &l30; &file; &lt;b&gt; &#65;');
  const bytes = partOf({
    content: `<?xml version="1.0"?>${doctype}<w:document>${body}</w:document>`,
  });
  expect((await readDocument('a.docx', bytes)).text).toBe('a &l30; &file; <b> A');
});

it('cuts off a million cells, and a table in which each row has a far column', async () => {
  const rows = '<row><c><v>12345</v></c><c><v>67890</v></c></row>'.repeat(500_000);
  const { text, isTruncated } = await readDocument('a.xlsx', xlsxOf({ A: rows }));
  expect([text.length, isTruncated]).toEqual([2_000_000, true]);
  const far = '<row><c r="XFD1"><v>1</v></c></row>'.repeat(1000);
  expect((await readDocument('a.xlsx', xlsxOf({ A: far }))).text).toMatch(
    /^## Sheet A\n\n\| 1 \|\n\| --- \|\n\| 1 \|/,
  );
});

it('cuts off a paragraph and a cell of any length', async () => {
  const long = paragraph('a'.repeat(3_000_000));
  expect((await readDocument('a.docx', docxOf(long))).isTruncated).toBe(true);
  const table = `<w:tbl><w:tr><w:tc>${long}</w:tc></w:tr></w:tbl>`;
  const { text, isTruncated } = await readDocument('a.docx', docxOf(table));
  expect([text.length, isTruncated]).toEqual([2_000_000, true]);
});

it('survives wrong numbers and relations', async () => {
  const list = (level: string) =>
    paragraph('a', `<w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="x"/></w:numPr>`);
  const body =
    list('-5') + list('1e9') + list('NaN') + paragraph('b', '<w:outlineLvl w:val="-3"/>');
  const bytes = docxOf(body, {
    'word/_rels/document.xml.rels': relations(['styles', 'document.xml'], ['footnotes', '../../x']),
    'word/vbaProject.bin': 'macro',
  });
  expect((await readDocument('a.docm', bytes)).text).toBe(`- a\n${' '.repeat(16)}- a\n- a\n\n# b`);
  const cells = '<row><c r="?" t="s"><v>99</v></c><c r="A1" s="7"><v>1e999</v></c></row>';
  expect((await readDocument('a.xlsx', xlsxOf({ A: cells }))).text).toContain('| 1e999 |');
});
