import { brotliCompressSync, deflateSync } from 'node:zlib';

interface PdfOptions {
  /** Entries of the pages' resources. */
  readonly resources?: string;
  /** Further objects, numbered from 4. */
  readonly objects?: readonly string[];
  /** Entries of the catalog. */
  readonly catalog?: string;
  /** Entries of the trailer. */
  readonly trailer?: string;
}

/** A PDF with a page for each text, in Helvetica. Each line of a text is a line of the page. */
export function pdfOf(pages: readonly string[], options?: PdfOptions): Buffer {
  return pdfWith(
    pages.map((text) => streamOf(textAt(72, 720, text))),
    options,
  );
}

/** Operators that write lines of text at a position. */
export function textAt(x: number, y: number, text: string): string {
  const lines = text.split('\n').map((line) => `(${line.replaceAll(/[()\\]/g, '')}) Tj T*`);
  return `BT /F1 12 Tf 14 TL ${x} ${y} Td ${lines.join('\n')} ET`;
}

/** Pages in a node of the page tree. A long list of pages would take long to read. */
const pagesPerNode = 50;

/** A PDF with a page for each stream. */
export function pdfWith(
  contents: readonly string[],
  { resources = '', objects = [], catalog = '', trailer = '' }: PdfOptions = {},
): Buffer {
  const first = 4 + objects.length;
  const firstNode = first + 2 * contents.length;
  const pages = contents.map((_, index) => `${first + 2 * index} 0 R`);
  const nodes = Array.from({ length: Math.ceil(pages.length / pagesPerNode) }, (_, index) => {
    const kids = pages.slice(index * pagesPerNode, (index + 1) * pagesPerNode);
    return `<< /Type /Pages /Parent 2 0 R /Kids [${kids.join(' ')}] /Count ${kids.length} >>`;
  });
  const nodeKids = nodes.map((_, index) => `${firstNode + index} 0 R`).join(' ');
  const parentOf = (page: number): number => firstNode + Math.floor(page / pagesPerNode);
  return pdfFile(
    [
      `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`,
      `<< /Type /Pages /Kids [${nodeKids}] /Count ${contents.length} >>`,
      '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
      ...objects,
      ...contents.flatMap((content, index) => [
        `<< /Type /Page /Parent ${parentOf(index)} 0 R /MediaBox [0 0 595 842] /Contents ${first + 1 + 2 * index} 0 R ` +
          `/Resources << /Font << /F1 3 0 R /F2 4 0 R >> ${resources} >> >>`,
        content,
      ]),
      ...nodes,
    ],
    trailer,
  );
}

/** A PDF with objects numbered from 1, the first of which is the catalog. */
export function pdfFile(objects: readonly string[], trailer = ''): Buffer {
  let file = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const start = file.length;
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}`;
  file += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R ${trailer} >>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(file, 'latin1');
}

export function streamOf(content: string, entries = ''): string {
  return `<< /Length ${content.length} ${entries} >>\nstream\n${content}\nendstream`;
}

/** A stream that unpacks to `size` bytes, packed twice, so that 400 MB are 2 kB. */
export function packedStream(size: number, fill: string, entries = ''): string {
  const content = deflateSync(deflateSync(Buffer.alloc(size, fill))).toString('latin1');
  return streamOf(content, `/Filter [/FlateDecode /FlateDecode] ${entries}`);
}

/** A small PDF with a page that unpacks to `size` bytes of operators. */
export function explodingPdf(size = 400_000_000, operators = 'q Q '): Buffer {
  return pdfWith([packedStream(size, operators)]);
}

/** A PDF with a page in the compression that PDF 2.0 added. */
export function brotliPdf(text: string): Buffer {
  const packed = brotliCompressSync(textAt(72, 720, text)).toString('latin1');
  return pdfWith([streamOf(packed, '/Filter /BrotliDecode')]);
}

/** A PDF whose pages cannot be opened without a password. */
export function encryptedPdf(): Buffer {
  const hash = 'ab'.repeat(32);
  const id = '00'.repeat(16);
  const trailer = `/Encrypt << /Filter /Standard /V 1 /R 2 /P -44 /O <${hash}> /U <${hash}> >> /ID [<${id}> <${id}>]`;
  return pdfOf(['Secret'], { trailer });
}

/** A PDF with a page that is a picture, as a scanner makes it. */
export function scannedPdf(): Buffer {
  const image =
    '/Type /XObject /Subtype /Image /Width 2 /Height 2 /BitsPerComponent 8 /ColorSpace /DeviceGray';
  return pdfWith([streamOf('q 595 0 0 842 0 0 cm /I1 Do Q')], {
    resources: '/XObject << /I1 4 0 R >>',
    objects: [streamOf('\x00\xff\xff\x00', image)],
  });
}

/** A PDF with text in any script: a font whose glyphs have numbers, and a map from these to Unicode. */
export function unicodePdf(text: string): Buffer {
  const hex = (value: number): string => value.toString(16).padStart(4, '0');
  const characters = Array.from(text);
  const glyphs = characters.map((_, index) => hex(index + 1));
  const map = characters.map((character, index) => {
    const utf16 = Buffer.from(character, 'utf16le').swap16().toString('hex');
    return `<${hex(index + 1)}> <${utf16}>`;
  });
  const cmap = `begincmap 1 begincodespacerange <0000> <ffff> endcodespacerange ${map.length} beginbfchar ${map.join(' ')} endbfchar endcmap`;
  const font = '/Type /Font /BaseFont /Songti';
  return pdfWith([streamOf(`BT /F2 12 Tf 72 720 Td <${glyphs.join('')}> Tj ET`)], {
    objects: [
      `<< ${font} /Subtype /Type0 /Encoding /Identity-H /DescendantFonts [5 0 R] /ToUnicode 6 0 R >>`,
      `<< ${font} /Subtype /CIDFontType2 /DW 1000 /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /FontDescriptor 7 0 R >>`,
      streamOf(cmap),
      '<< /Type /FontDescriptor /FontName /Songti /Flags 4 >>',
    ],
  });
}

/** A PDF with pages below `depth` nested page trees. */
export function deepPdf(depth: number): Buffer {
  const trees = Array.from(
    { length: depth },
    (_, index) => `<< /Type /Pages /Count 1 /Kids [${index + 3} 0 R] >>`,
  );
  return pdfFile(['<< /Type /Catalog /Pages 2 0 R >>', ...trees, '<< /Type /Page >>']);
}
