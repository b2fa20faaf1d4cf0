import { describe, expect, it } from 'vitest';
import { writeWav } from '../../src/kernel/wav.ts';
import { docxOf, openDocumentOf, paragraph, xlsxOf } from '../setup/documents/office-file.ts';
import { explodingPdf, packedStream, pdfFile, pdfOf } from '../setup/documents/pdf-file.ts';
import { readDocument } from '../setup/documents/read-document.ts';
import { audioModel, placeAudioModel } from '../setup/models/audio-projector.ts';
import { constantFlac } from '../setup/models/constant-flac.ts';
import { get, post, type ApiAnswer } from '../setup/server/api.ts';
import { expectError } from '../setup/server/expect-error.ts';
import { memoryGrowth } from '../setup/server/peak-memory.ts';
import { useHearth } from '../setup/server/use-hearth.ts';

/** Files of some kilobytes that expand to hundreds of megabytes when read, and files that declare wrong sizes. */

const hearth = useHearth(placeAudioModel);
const mebibyte = 1024 * 1024;
/** Limit for the heap of a reading thread, including its young generation, and other memory of the server. */
const maxGrowth = 800 * mebibyte;

/** Sends a file. Meanwhile, the server must answer other requests and stay within its memory limit. */
async function send(request: () => Promise<ApiAnswer>): Promise<ApiAnswer> {
  let answer: ApiAnswer | undefined;
  const growth = await memoryGrowth(hearth.pid, async () => {
    const pending = request();
    const other = await get(hearth.url, '/api/v1/models');
    expect(other.status).toBe(200);
    answer = await pending;
  });
  expect(growth).toBeLessThan(maxGrowth);
  if (answer === undefined) throw new Error('no answer');
  return answer;
}

describe('a document that unpacks to 250 MB', { timeout: 120_000 }, () => {
  const size = 250_000_000;
  const fill = (text: string) => text.repeat(size / text.length);

  it.each<[string, string, () => Buffer]>([
    ['a tag without an end', 'a.docx', () => docxOf(`<w:p a="${fill('a')}`)],
    ['brackets', 'a.docx', () => docxOf(fill('<'))],
  ])('is refused if it is %s', async (_, name, make) => {
    const bytes = make();
    expect(bytes.length).toBeLessThan(mebibyte);
    expectError(await send(() => readDocument(hearth.url, name, bytes)), {
      code: 'invalid_document',
      message: /^a\.docx (?:has no text|takes more than 30 s|needs more than 384 MB)/,
    });
  });

  it.each<[string, string, () => Buffer]>([
    ['one paragraph', 'a.docx', () => docxOf(paragraph(fill('a')))],
    ['one row of cells', 'a.xlsx', () => xlsxOf({ A: `<row>${fill('<c><v>1</v></c>')}</row>` })],
  ])('is cut off if it is %s', async (_, name, make) => {
    const bytes = make();
    const { body } = await send(() => readDocument(hearth.url, name, bytes));
    expect(body).toMatchObject({ truncated: true });
    expect(body.text).toHaveLength(2_000_000);
  });
});

describe('a PDF', { timeout: 120_000 }, () => {
  const catalog = '<< /Type /Catalog /Pages 2 0 R >>';
  const packed = (entries: string, fill: string) =>
    pdfFile([catalog, packedStream(1_000_000_000, fill, entries)]);
  const huge = '<< /Type /Pages /Count 2000000000 /Kids [2 0 R 2 0 R] >>';

  it.each<[string, () => Buffer]>([
    ['operators of 1 GB', () => explodingPdf(1_000_000_000)],
    ['text of 1 GB', () => explodingPdf(1_000_000_000, '(a)Tj ')],
    ['objects of 1 GB', () => packed('/Type /ObjStm /N 100000000 /First 900000000', '1 0 ')],
    ['a table of objects of 1 GB', () => packed('/Type /XRef /Size 9 /W [1 2 1]', 'abcd')],
    ['a page tree that contains itself', () => pdfFile([catalog, huge])],
    ['100,000 pages without text', () => pdfOf(Array.from({ length: 100_000 }, () => ''))],
  ])('is refused if it has %s', async (_, make) => {
    const bytes = make();
    expectError(await send(() => readDocument(hearth.url, 'a.pdf', bytes)), {
      code: 'invalid_document',
      message: /^a\.pdf (?:has no text|is damaged|takes more than 30 s|needs more than 384 MB)/,
    });
  });
});

it('does not repeat cells and blanks as often as a document says', async () => {
  const often = '"1000000000"';
  const cell = `<table:table-cell table:number-columns-repeated=${often}><text:p>x</text:p></table:table-cell>`;
  const row = `<table:table-row table:number-rows-repeated=${often}>${cell}</table:table-row>`;
  const sheet = `<table:table table:name="A">${row}</table:table>`;
  const blanks = `<office:text><text:p>a<text:s text:c=${often}/>b</text:p></office:text>`;
  for (const [kind, body] of [
    ['spreadsheet', `<office:spreadsheet>${sheet}</office:spreadsheet>`],
    ['text', blanks],
  ] as const) {
    const bytes = openDocumentOf(kind, `<office:body>${body}</office:body>`);
    const answer = await send(() => readDocument(hearth.url, 'a', bytes));
    expect(answer.status).toBe(200);
    expect(answer.body.text.length).toBeLessThan(100_000);
  }
});

describe('audio', { timeout: 120_000 }, () => {
  const say = (bytes: Buffer) =>
    send(() =>
      post(hearth.url, '/api/v1/chat', {
        model: audioModel,
        reasoning: 'off',
        max_output_tokens: 2,
        store: false,
        input: [{ type: 'audio', data_url: `data:audio/wav;base64,${bytes.toString('base64')}` }],
      }),
    );
  const format = {
    encoding: 'integer',
    channels: 1,
    sampleRate: 16_000,
    bitsPerSample: 16,
  } as const;
  const wav = writeWav(format, [Buffer.alloc(32_000)]);
  const changed = (at: number, value: number, bytes: 2 | 4): Buffer => {
    const copy = Buffer.from(wav);
    copy.writeUIntLE(value, at, bytes);
    return copy;
  };

  it('has the length of its bytes, whatever it claims', async () => {
    expect((await say(changed(40, 0xffff_ffff, 4))).status).toBe(200);
    const frames = constantFlac(16_000, 1);
    frames.fill(0xff, 22, 26);
    expect((await say(frames)).status).toBe(200);
  });

  it.each<[string, () => Buffer, RegExp]>([
    ['65,535 channels', () => changed(22, 65_535, 2), /65535 channels/],
    ['no channels', () => changed(22, 0, 2), /damaged or compressed/],
    ['4 billion samples a second', () => changed(24, 0xffff_ffff, 4), /4000 to 384000 are allowed/],
    ['a part beyond the end', () => changed(16, 0xffff_ffff, 4), /damaged or compressed/],
    [
      'a tag of 256 MB',
      () => Buffer.from('ID3\x04\0\0\x7f\x7f\x7f\x7f'.padEnd(1000), 'latin1'),
      /no frames of MP3/,
    ],
    [
      'a FLAC of zeros',
      () => Buffer.from('fLaC'.padEnd(mebibyte, '\0')),
      /FLAC file that is damaged/,
    ],
    [
      '16 MiB between frames',
      () => Buffer.concat([Buffer.from('ID3'), Buffer.alloc(24 * mebibyte, 0xff)]),
      /no frames of MP3/,
    ],
  ])('is refused if it claims %s', async (_, make, message) => {
    expectError(await say(make()), {
      code: 'invalid_audio',
      param: 'input[0].data_url',
      message,
    });
  });

  it('is refused if it makes 15 minutes of 384,000 samples a second from 100 kB', async () => {
    const bytes = constantFlac(384_000, 5300);
    expect(bytes.length).toBeLessThan(110_000);
    expectError(await say(bytes), {
      code: 'invalid_audio',
      param: 'input[0].data_url',
      message: /^The audio (?:is longer than 10 minutes|takes more than 30 s to read)\.$/,
    });
  });
});
