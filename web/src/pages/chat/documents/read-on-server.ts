import { call } from '../../../api/client.ts';
import type { TextDocument } from './document.ts';
import { toSections } from './to-sections.ts';

/** Files are sent one by one, since the server reads few at the same time. */
let last: Promise<unknown> = Promise.resolve();

/**
 * Reads a file on the server, after the previous ones.
 *
 * @throws ApiError, UnreachableError.
 */
export function readOnServer(file: File): Promise<TextDocument> {
  const read = async (): Promise<TextDocument> => {
    const answer = await call(
      'post',
      '/api/v1/documents/text',
      { query: { name: file.name.slice(0, 512) }, body: file },
      { headers: { 'content-type': 'application/octet-stream' } },
    );
    return { name: file.name, sections: toSections(answer), isTruncated: answer.truncated };
  };
  const reading = last.then(read);
  last = reading.catch(() => {});
  return reading;
}
