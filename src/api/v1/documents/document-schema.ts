import * as z from 'zod';
import { withExample } from '../../../kernel/field.ts';
import { defineRoute } from '../../kit/route.ts';
import * as named from '../../kit/named.ts';

const documentSectionSchema = named.object('DocumentSection', {
  kind: z.enum(['page', 'sheet', 'slide', 'chapter']),
  number: z.int().positive().describe('From 1.'),
  title: z.string().optional().describe('Name of a sheet.'),
  first_line: z.int().positive().describe('Line of `text` at which it begins, from 1.'),
});

const exampleDocumentText = {
  name: 'prices.xlsx',
  type: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  text: '## Sheet Fish\n\n| Fish | Price |\n| --- | --- |\n| Herring | 4.5 |',
  sections: [{ kind: 'sheet', number: 1, title: 'Fish', first_line: 1 }],
  truncated: false,
};

export const readDocumentText = defineRoute('POST /api/v1/documents/text', {
  operationId: 'readDocumentText',
  summary: 'Read the text of a file',
  description:
    'The body is the content of the file: .pdf, .docx, .xlsx, .pptx, .odt, .ods, .odp, .epub, HTML, CSV or other text, ' +
    'of up to 50 MB. The answer has its text as Markdown, which a client can send in a chat. Nothing is stored, macros are ' +
    'not run, and what the file refers to is not loaded.',
  permission: 'chat',
  query: z.object({
    name: withExample(z.string().min(1).max(512), 'report.docx').describe('Name of the file.'),
  }),
  upload: { contentType: 'application/octet-stream' },
  result: named.object('DocumentText', [exampleDocumentText], {
    name: z.string(),
    type: z.string().describe('Media type of the file, from its content.'),
    text: z.string(),
    sections: z
      .array(documentSectionSchema)
      .describe('Pages, sheets, slides or chapters in order; empty for formats without.'),
    truncated: z
      .boolean()
      .describe('Whether the text was cut off after 2,000,000 characters or 3,000 pages.'),
  }),
  errors: ['invalid_value', 'invalid_document', 'queue_full'],
});
