import { mount, type App } from '../../kit/mount.ts';
import { omitUndefined } from '../../../kernel/omit-undefined.ts';
import type { ApiServices } from '../../services.ts';
import { readDocumentText } from './document-schema.ts';

export function mountDocuments(app: App, { documents }: ApiServices): void {
  mount(app, readDocumentText, async ({ query, upload, context }) => {
    const { name } = query;
    const { signal, caller } = context;
    const { type, text, sections, isTruncated } = await documents.read(name, upload.body, {
      ownerId: caller.tokenId,
      signal,
    });
    return {
      name,
      type,
      text,
      sections: sections.map(({ kind, number, title, firstLine }) => ({
        kind,
        number,
        first_line: firstLine,
        ...omitUndefined({ title }),
      })),
      truncated: isTruncated,
    };
  });
}
