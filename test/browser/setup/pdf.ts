import { deflateSync } from 'node:zlib';

/** A PDF with a page for each text, in Helvetica. */
export function pdfOf(pages: readonly string[]): Buffer {
  return pdfWith(
    pages.map((text) => {
      const content = `BT /F1 12 Tf 72 720 Td (${text.replaceAll(/[()\\]/g, '')}) Tj ET`;
      return `<< /Length ${content.length} >>\nstream\n${content}\nendstream`;
    }),
  );
}

/** A small PDF with a page of 100 million drawing operators. */
export function explodingPdf(): Buffer {
  const content = deflateSync(deflateSync(Buffer.alloc(400_000_000, 'q Q '))).toString('latin1');
  const filters = '/Filter [/FlateDecode /FlateDecode]';
  return pdfWith([`<< /Length ${content.length} ${filters} >>\nstream\n${content}\nendstream`]);
}

/** A PDF with a page for each stream of drawing operators. */
function pdfWith(contents: readonly string[]): Buffer {
  const kids = contents.map((_, index) => `${4 + 2 * index} 0 R`).join(' ');
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${contents.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...contents.flatMap((content, index) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents ${5 + 2 * index} 0 R ` +
        '/Resources << /Font << /F1 3 0 R >> >> >>',
      content,
    ]),
  ];
  let file = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const start = file.length;
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}`;
  file += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(file, 'latin1');
}
