import { expect, it } from 'vitest';
import { docxOf, paragraph, relations, xlsxOf } from '../setup/documents/office-file.ts';
import { brotliPdf, pdfOf } from '../setup/documents/pdf-file.ts';
import { readDocument } from '../setup/documents/read-document.ts';
import { startLoopbackServer } from '../setup/net/loopback-server.ts';
import { get, post } from '../setup/server/api.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { useResource } from '../setup/use-resource.ts';

const opened: string[] = [];
const host = useResource(() =>
  startLoopbackServer(({ path }, response) => {
    opened.push(path);
    response.writeHead(200).end('secret');
  }),
);
const hearth = useHearth();

it('reads a file whose text a chat can use', async () => {
  const bytes = docxOf(paragraph('My name is Ada.'));
  const { status, body } = await readDocument(hearth.url, 'Über uns.docx', bytes);
  expect([status, body]).toEqual([
    200,
    {
      name: 'Über uns.docx',
      type: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      text: 'My name is Ada.',
      sections: [],
      truncated: false,
    },
  ]);
  const chat = { model: 'hearth/starter-chat', reasoning: 'off' };
  const told = await post(hearth.url, '/api/v1/chat', { ...chat, input: body.text });
  const answer = await post(hearth.url, '/api/v1/chat', {
    ...chat,
    input: 'What is my name?',
    previous_response_id: told.body.response_id,
  });
  expect(answer.body.output[0].content).toBe('Your name is Ada.');
});

it('names the sheets of a workbook and the lines at which they begin', async () => {
  const row = (text: string) => `<row><c t="inlineStr"><is><t>${text}</t></is></c></row>`;
  const { body } = await readDocument(
    hearth.url,
    'a.xlsx',
    xlsxOf({ Fish: row('Herring'), Nets: row('Seine') }),
  );
  expect(body.sections).toEqual([
    { kind: 'sheet', number: 1, title: 'Fish', first_line: 1 },
    { kind: 'sheet', number: 2, title: 'Nets', first_line: 6 },
  ]);
  expect(body.text.split('\n')[5]).toBe('## Sheet Nets');
});

it('names the pages of a PDF', async () => {
  const { body } = await readDocument(hearth.url, 'tides.pdf', pdfOf(['High at noon.', 'Low']));
  expect(body).toEqual({
    name: 'tides.pdf',
    type: 'application/pdf',
    text: '## Page 1\n\nHigh at noon.\n\n## Page 2\n\nLow',
    sections: [
      { kind: 'page', number: 1, first_line: 1 },
      { kind: 'page', number: 2, first_line: 5 },
    ],
    truncated: false,
  });
});

it('unpacks PDFs with the decoder of Node.js, which the build uses instead of another one', async () => {
  const { body } = await readDocument(hearth.url, 'a.pdf', brotliPdf('Small'));
  expect(body.text).toBe('## Page 1\n\nSmall');
});

it('loads nothing that a file refers to', async () => {
  const link = `<Relationship Id="rId1" Type="x/styles" TargetMode="External" Target="${host.url}/styles"/>`;
  const doctype = `<!DOCTYPE x SYSTEM "${host.url}/dtd" [<!ENTITY e SYSTEM "${host.url}/entity">]>`;
  const files = {
    'a.docx': docxOf(`${doctype}${paragraph('Text &e;')}`, {
      'word/_rels/document.xml.rels': `<Relationships>${link}</Relationships>`,
    }),
    'b.docx': docxOf(paragraph('Text'), {
      'word/_rels/document.xml.rels': relations(['styles', `${host.url}/inside`]),
    }),
    'a.pdf': pdfOf(['Text'], {
      catalog: `/OpenAction << /S /URI /URI (${host.url}/open) >> /AA << /WC << /S /JavaScript /JS (fetch\\('${host.url}/js'\\)) >> >>`,
      objects: [`<< /F << /FS /URL /F (${host.url}/content) >> /Length 0 >>\nstream\n\nendstream`],
    }),
    'c.html': Buffer.from(
      `<link rel=stylesheet href="${host.url}/css"><script src="${host.url}/js"></script><img src="${host.url}/img">Text<iframe src="${host.url}/frame"></iframe>`,
    ),
  };
  for (const [name, bytes] of Object.entries(files)) {
    const { body } = await readDocument(hearth.url, name, bytes);
    expect(body.text).toMatch(/^(## Page 1\n\n)?Text( &e;)?$/);
  }
  expect(opened).toEqual([]);
});

it('answers other requests while a file takes all the time of its thread', async () => {
  const bomb = xlsxOf({ A: '' }, { 'xl/sharedStrings.xml': '<si/>'.repeat(50_000_000) });
  const reading = readDocument(hearth.url, 'bomb.xlsx', bomb);
  let isRead = false;
  void reading.then(() => (isRead = true));
  for (let count = 0; count < 20; count += 1)
    expect((await get(hearth.url, '/api/v1/models')).status).toBe(200);
  expect(isRead).toBe(false);
  const { status, body } = await reading;
  expect([status, body.error.code]).toEqual([400, 'invalid_document']);
  expect(body.error.message).toMatch(
    /^bomb\.xlsx (takes|needs) more than .* save it as a text file/,
  );
});

it('names the parameter that is missing', async () => {
  const { status, body } = await readDocument(hearth.url, '', Buffer.from('a'));
  expect([status, body.error.code, body.error.param]).toEqual([400, 'invalid_value', 'name']);
});
