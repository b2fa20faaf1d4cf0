import { describe, expect, it } from 'vitest';
import {
  docxOf,
  epubOf,
  openDocumentOf,
  paragraph,
  pptxOf,
  relations,
  shape,
  xlsxOf,
} from '../../../../test/setup/documents/office-file.ts';
import {
  pdfOf,
  pdfWith,
  streamOf,
  textAt,
  unicodePdf,
} from '../../../../test/setup/documents/pdf-file.ts';
import { readDocument } from './read-document.ts';

const textOf = async (name: string, bytes: Buffer) => (await readDocument(name, bytes)).text;
const val = (name: string, value: string | number) => `<w:${name} w:val="${value}"/>`;
const item = (list: number, level: number) =>
  `<w:numPr>${val('ilvl', level)}${val('numId', list)}</w:numPr>`;
const cell = (text: string, properties = '') =>
  `<w:tc><w:tcPr>${properties}</w:tcPr>${paragraph(text)}</w:tc>`;

describe('.docx', () => {
  const withParts = (body: string, parts: Record<string, string>) =>
    docxOf(body, {
      'word/_rels/document.xml.rels': relations(
        ['styles', 'styles.xml'],
        ['numbering', 'numbering.xml'],
        ['footnotes', 'footnotes.xml'],
      ),
      ...parts,
    });

  it('has headings by the names of their styles, which other styles inherit', async () => {
    const style = (id: string, content: string) =>
      `<w:style w:styleId="${id}">${content}</w:style>`;
    const styles = [
      style('Titel', val('name', 'Title')),
      style('berschrift2', val('name', 'heading 2')),
      style('Eigene', val('name', 'Eigene') + val('basedOn', 'berschrift2')),
      style('Gliederung', val('name', 'Gliederung') + val('outlineLvl', 2)),
    ];
    const body = [
      paragraph('Report', val('pStyle', 'Titel')),
      paragraph('Tides', val('pStyle', 'berschrift2')),
      paragraph('Fish', val('pStyle', 'Eigene')),
      paragraph('Nets', val('pStyle', 'Gliederung')),
      paragraph('Text &amp; more'),
    ].join('');
    expect(
      await textOf(
        'a.docx',
        withParts(body, { 'word/styles.xml': `<w:styles>${styles.join('')}</w:styles>` }),
      ),
    ).toBe('# Report\n\n## Tides\n\n## Fish\n\n### Nets\n\nText & more');
  });

  it('has lists with their numbers and levels', async () => {
    const level = (at: number, format: string) =>
      `<w:lvl w:ilvl="${at}">${val('numFmt', format)}</w:lvl>`;
    const numbering = `<w:numbering><w:abstractNum w:abstractNumId="4">${level(0, 'decimal')}${level(1, 'bullet')}</w:abstractNum><w:num w:numId="2">${val('abstractNumId', 4)}</w:num></w:numbering>`;
    const body = [
      paragraph('Before'),
      paragraph('One', item(2, 0)),
      paragraph('Below', item(2, 1)),
      paragraph('Two', item(2, 0)),
      paragraph('Bullet', item(9, 0)),
      paragraph('None', item(0, 0)),
    ].join('');
    expect(await textOf('a.docx', withParts(body, { 'word/numbering.xml': numbering }))).toBe(
      'Before\n\n1. One\n  - Below\n2. Two\n- Bullet\n\nNone',
    );
  });

  it('has tables, also one inside of a cell', async () => {
    const inner = `<w:tbl><w:tr>${cell('x')}${cell('y')}</w:tr></w:tbl>`;
    const body = `<w:tbl><w:tr>${cell('Fish | Kind')}${cell('Price')}</w:tr><w:tr><w:tc>${paragraph('Herring')}${paragraph('fresh')}</w:tc><w:tc>${inner}${paragraph('4')}</w:tc></w:tr><w:tr>${cell('Wide', val('gridSpan', 2))}</w:tr></w:tbl>${paragraph('After')}`;
    expect(await textOf('a.docx', docxOf(body))).toBe(
      '| Fish \\| Kind | Price |\n| --- | --- |\n| Herring<br>fresh | x<br>y<br>4 |\n| Wide |  |\n\nAfter',
    );
  });

  it('has notes and text boxes once, and no deleted text', async () => {
    const run = (text: string) => `<w:r><w:t>${text}</w:t></w:r>`;
    const box = (text: string) => `<w:txbxContent>${paragraph(text)}</w:txbxContent>`;
    const body = [
      `<w:p>${run('Seen')}<w:r><w:footnoteReference w:id="2"/></w:r><w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:moveFrom>${run('moved')}</w:moveFrom><w:r><w:tab/><w:t>far</w:t><w:br/><w:t>below</w:t></w:r></w:p>`,
      `<w:p>${run('Outer')}<mc:AlternateContent><mc:Choice>${box('Boxed')}</mc:Choice><mc:Fallback>${box('Boxed')}</mc:Fallback></mc:AlternateContent>${run(' text')}</w:p>`,
    ].join('');
    const notes = `<w:footnotes><w:footnote w:type="separator" w:id="-1">${paragraph('---')}</w:footnote><w:footnote w:id="2">${paragraph('A note.')}</w:footnote></w:footnotes>`;
    expect(await textOf('a.docx', withParts(body, { 'word/footnotes.xml': notes }))).toBe(
      'Seen[^2]\tfar\nbelow\n\nBoxed\n\nOuter text\n\n[^2]: A note.',
    );
  });
});

it('reads sheets with shared texts, dates and numbers, and leaves out what is empty', async () => {
  const rows = `<row r="2"><c r="B2" t="s"><v>0</v></c><c r="C2" t="s"><v>1</v></c><c r="E2" t="inlineStr"><is><t>Fresh</t></is></c></row>
    <row r="9"><c r="B9" t="str"><f>UPPER("x")</f><v>X|Y</v></c><c r="C9" s="1"><v>45000.5</v></c><c r="E9" t="b"><v>1</v></c></row>
    <row r="10"><c r="C10" s="2"><v>45000</v></c><c r="E10"><v>0.30000000000000004</v></c></row>
    <row r="11"><c r="C11" s="3"><v>0.25</v></c><c r="E11" t="e"><v>#DIV/0!</v></c></row>`;
  const file = xlsxOf(
    {
      'Fish &amp; nets': rows,
      Empty: '<row r="1"/>',
      Last: '<row><c><v>1</v></c><c><v>2</v></c></row>',
    },
    {
      'xl/sharedStrings.xml':
        '<sst><si><t>Name</t></si><si><r><t>Da</t></r><r><t>te</t></r><rPh><t>phonetic</t></rPh></si></sst>',
      'xl/styles.xml':
        '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="14"/><xf numFmtId="20"/></cellXfs></styleSheet>',
    },
  );
  expect(await readDocument('a.xlsx', file)).toEqual({
    type: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    text: [
      '## Sheet Fish & nets\n\n| Name | Date | Fresh |\n| --- | --- | --- |',
      '| X\\|Y | 2023-03-15 12:00 | TRUE |\n|  | 2023-03-15 | 0.3 |\n|  | 06:00 | #DIV/0! |\n\n## Sheet Empty',
      '\n## Sheet Last\n\n| 1 | 2 |\n| --- | --- |',
    ].join('\n'),
    sections: [
      { kind: 'sheet', number: 1, title: 'Fish & nets', firstLine: 1 },
      { kind: 'sheet', number: 2, title: 'Empty', firstLine: 9 },
      { kind: 'sheet', number: 3, title: 'Last', firstLine: 11 },
    ],
    isTruncated: false,
  });
});

it('reads slides in their order, with lists, tables and notes', async () => {
  const table =
    '<p:graphicFrame><a:tbl><a:tr><a:tc><a:p><a:r><a:t>Fish</a:t></a:r></a:p></a:tc><a:tc><a:p/></a:tc></a:tr></a:tbl></p:graphicFrame>';
  const file = pptxOf([
    {
      shapes: shape('ctrTitle', ['Tides', 0]) + shape('body', ['High', 0], ['noon', 1]),
      notes: shape('sldImg') + shape('body', ['Speak slowly.', 0]) + shape('sldNum', ['1', 0]),
    },
    { shapes: shape(undefined, ['A box', 0]) + table + shape('ftr', ['Confidential', 0]) },
  ]);
  const { text, sections } = await readDocument('a.pptx', file);
  expect(text).toBe(
    '## Slide 1\n\n### Tides\n\n- High\n  - noon\n\nNotes: Speak slowly.\n\n## Slide 2\n\nA box\n\n| Fish |  |\n| --- | --- |',
  );
  expect(sections).toEqual([
    { kind: 'slide', number: 1, firstLine: 1 },
    { kind: 'slide', number: 2, firstLine: 10 },
  ]);
});

describe('OpenDocument', () => {
  const p = (text: string) => `<text:p>${text}</text:p>`;

  it('has headings, lists, tables and notes of texts', async () => {
    const styles =
      '<office:automatic-styles><text:list-style style:name="L1"><text:list-level-style-number text:level="1"/><text:list-level-style-bullet text:level="2"/></text:list-style></office:automatic-styles>';
    const list = `<text:list text:style-name="L1"><text:list-item>${p('One')}<text:list><text:list-item>${p('Below')}</text:list-item></text:list></text:list-item><text:list-item>${p('Two')}</text:list-item></text:list>`;
    const note =
      '<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>A note.</text:p></text:note-body></text:note>';
    const body = `<office:body><office:text><text:tracked-changes>${p('deleted')}</text:tracked-changes><text:h text:outline-level="2">Tides</text:h>${list}${p(`Far<text:s text:c="2"/>apart\n   here${note}`)}<table:table><table:table-row><table:table-cell>${p('a')}</table:table-cell><table:covered-table-cell/></table:table-row></table:table></office:text></office:body>`;
    expect(await textOf('a.odt', openDocumentOf('text', styles + body))).toBe(
      '## Tides\n\n1. One\n  - Below\n2. Two\n\n[^1]: A note.\n\nFar  apart here[^1]\n\n| a |  |\n| --- | --- |',
    );
  });

  it('has sheets, without the cells that fill them', async () => {
    const filled = (text: string) => `<table:table-cell>${p(text)}</table:table-cell>`;
    const filler = '<table:table-cell table:number-columns-repeated="16000"/>';
    const sheet = `<table:table table:name="Fish"><table:table-row>${filler}${filled('Name')}<table:table-cell table:number-columns-repeated="2">${p('x')}</table:table-cell></table:table-row><table:table-row table:number-rows-repeated="1048000">${filler}</table:table-row></table:table>`;
    const { text, sections } = await readDocument(
      'a.ods',
      openDocumentOf(
        'spreadsheet',
        `<office:body><office:spreadsheet>${sheet}</office:spreadsheet></office:body>`,
      ),
    );
    expect(text).toBe('## Sheet Fish\n\n| Name | x | x |\n| --- | --- | --- |');
    expect(sections).toEqual([{ kind: 'sheet', number: 1, title: 'Fish', firstLine: 1 }]);
  });

  it('has slides with their notes', async () => {
    const page = `<draw:page><draw:frame presentation:class="title"><draw:text-box>${p('Tides')}</draw:text-box></draw:frame><draw:frame><draw:text-box>${p('Text')}</draw:text-box></draw:frame><presentation:notes>${p('Slowly.')}</presentation:notes></draw:page>`;
    const body = `<office:body><office:presentation>${page}</office:presentation></office:body>`;
    expect(await textOf('a.odp', openDocumentOf('presentation', body))).toBe(
      '## Slide 1\n\n### Tides\n\nText\n\nNotes: Slowly.',
    );
  });
});

it('reads the chapters of a book in the order of reading', async () => {
  const { text, sections } = await readDocument(
    'a.epub',
    epubOf(['<h1>One</h1><p>The sea<br/>is calm.</p>', '<p/>', '<h1>Three</h1>']),
  );
  expect(text).toBe('# One\n\nThe sea\nis calm.\n\n# Three');
  expect(sections).toEqual([
    { kind: 'chapter', number: 1, firstLine: 1 },
    { kind: 'chapter', number: 3, firstLine: 6 },
  ]);
});

describe('HTML', () => {
  it.each([
    ['<h2>A\n  <b>b</b></h2>text <i>more</i>', '## A b\n\ntext more'],
    [
      '<ol start=3><li><p>One</p><li>Two<ul><li>Deep</ul></ol>after',
      '3. One\n4. Two\n  - Deep\n\nafter',
    ],
    [
      '<table><tr><th>A<th>B<tr><td>1<td>x<br>y</table>',
      '| A | B |\n| --- | --- |\n| 1 | x<br>y |',
    ],
    ['<pre>\na\n  b\n```</pre>c', '````\na\n  b\n```\n````\n\nc'],
    ['<script>evil()</script><style>x</style>&lt;b&gt; &copy;<!-- no -->', '<b> ©'],
    ['<div>one<div>two</div>three', 'one\n\ntwo\n\nthree'],
  ])('%s', async (html, markdown) => {
    expect(await textOf('a.html', Buffer.from(html))).toBe(markdown);
  });
});

describe('text', () => {
  it.each([
    ['UTF-8', Buffer.from('\u{FEFF}é,1')],
    ['UTF-16', Buffer.from('\u{FEFF}é,1', 'utf16le')],
    ['Windows-1252', Buffer.from('é,1', 'latin1')],
  ])('is read in %s', async (_, bytes) => {
    expect(await readDocument('a.csv', bytes)).toEqual({
      type: 'text/csv',
      text: 'é,1',
      sections: [],
      isTruncated: false,
    });
  });

  it('is read in the encoding that a page names', async () => {
    const page = Buffer.concat([
      Buffer.from('<meta charset="iso-8859-2"><p>'),
      Buffer.from([0xb1]),
    ]);
    expect(await textOf('a.htm', page)).toBe('ą');
  });

  it('is cut off at its maximum, between characters', async () => {
    const { text, isTruncated } = await readDocument(
      'a.txt',
      Buffer.from(`a${'😀'.repeat(1_000_001)}`),
    );
    expect([text.length, text.isWellFormed(), isTruncated]).toEqual([1_999_999, true, true]);
  });
});

describe('.pdf', () => {
  it('has the lines of each page with text, and the numbers of these pages', async () => {
    const { text, ...others } = await readDocument('a.pdf', pdfOf(['One\nmore', '', 'Three']));
    expect(text).toBe('## Page 1\n\nOne\nmore\n\n## Page 3\n\nThree');
    expect(others).toEqual({
      type: 'application/pdf',
      sections: [
        { kind: 'page', number: 1, firstLine: 1 },
        { kind: 'page', number: 3, firstLine: 6 },
      ],
      isTruncated: false,
    });
  });

  it('has columns one after the other', async () => {
    const columns = textAt(72, 720, 'Left\nbelow') + textAt(320, 720, 'Right\nbelow');
    expect(await textOf('a.pdf', pdfWith([streamOf(columns)]))).toBe(
      '## Page 1\n\nLeft\nbelow\nRight\nbelow',
    );
  });

  it('has the Unicode text of numbered glyphs', async () => {
    expect(await textOf('a.pdf', unicodePdf('海の潮汐 Ünïcode 😀'))).toBe(
      '## Page 1\n\n海の潮汐 Ünïcode 😀',
    );
  });

  it('is read with a wrong table of its objects, and after other bytes', async () => {
    const bytes = pdfOf(['Fine']);
    const wrong = bytes.toString('latin1').replace(/startxref\n\d+/, 'startxref\n7');
    const expected = '## Page 1\n\nFine';
    expect(await textOf('a.pdf', Buffer.from(wrong, 'latin1'))).toBe(expected);
    const mail = Buffer.concat([Buffer.from('Content-Type: application/pdf\r\n\r\n'), bytes]);
    expect(await textOf('a.PDF', mail)).toBe(expected);
    expect((await readDocument('a.txt', mail)).type).toBe('text/plain');
  });

  it('has 500 pages, and no more than 3000', async () => {
    const pagesOf = async (count: number) => {
      const pages = Array.from({ length: count }, (_, index) => `Text ${index + 1}`);
      const { sections, isTruncated } = await readDocument('a.pdf', pdfOf(pages));
      return [sections.at(-1)?.number, isTruncated];
    };
    expect(await pagesOf(500)).toEqual([500, false]);
    expect(await pagesOf(3100)).toEqual([3000, true]);
  }, 60_000);
});
