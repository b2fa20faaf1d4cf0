import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import type { InputItem } from '../../api/v1/chat/chat-schema.ts';
import { readDocumentText } from '../../api/v1/documents/document-schema.ts';
import type { Client } from '../client/client.ts';
import { CommandError } from '../failure.ts';
import { fencedFile } from '../../kernel/code-fence.ts';

/**
 * Lets the server extract the text of a file, and returns it as a part of a message. The web app shows such parts as
 * files.
 *
 * @throws CommandError for a folder; ApiError; the system's error if the file cannot be read.
 */
export async function readDocumentFile(
  client: Client,
  path: string,
  signal: AbortSignal,
): Promise<InputItem> {
  const facts = await stat(path);
  if (!facts.isFile()) throw new CommandError(`${path} is not a file.`);
  const name = basename(path).replaceAll(/\s+/g, ' ').slice(0, 512);
  const { text } = await client.call(
    readDocumentText,
    { query: { name }, upload: { content: createReadStream(path), sizeBytes: facts.size } },
    signal,
  );
  const language = extname(name).slice(1).toLowerCase();
  return { type: 'text', content: fencedFile('File', { name, text, language }) };
}
