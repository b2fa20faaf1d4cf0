import { invalidValue } from '../../../kernel/errors/errors.ts';
import type { RequestContext } from '../../../kernel/request/request-context.ts';
import { fencedFile } from '../../../kernel/code-fence.ts';
import { readMessageFile } from '../../kit/message-file.ts';
import type { ApiServices } from '../../services.ts';
import type { OpenAiInputFile, OpenAiInputItem } from './response-request-schema.ts';

/**
 * Replaces the files in the input of a request with their text.
 *
 * @throws HearthError `invalid_document`, `invalid_value`, `file_not_found`, `queue_full`.
 */
export async function withFileTexts<Input extends string | readonly OpenAiInputItem[]>(
  services: ApiServices,
  input: Input,
  context: RequestContext,
): Promise<Input | OpenAiInputItem[]> {
  if (typeof input === 'string') return input;
  const items: OpenAiInputItem[] = [];
  for (const [index, item] of input.entries()) {
    const field = 'role' in item ? 'content' : 'output';
    const parts: unknown = item[field];
    if (!Array.isArray(parts) || !parts.some(isFile)) {
      items.push(item);
      continue;
    }
    const read: unknown[] = [];
    for (const [position, part] of parts.entries()) {
      const path = `input[${index}].${field}[${position}]`;
      read.push(isFile(part) ? await toText(services, part, path, context) : part);
    }
    items.push({ ...item, [field]: read });
  }
  return items;
}

function isFile(part: { readonly type: string }): part is OpenAiInputFile {
  return part.type === 'input_file';
}

async function toText(
  services: ApiServices,
  { filename: name, file_data: data, file_id: fileId, file_url: url }: OpenAiInputFile,
  path: string,
  context: RequestContext,
): Promise<{ readonly type: 'input_text'; readonly text: string }> {
  if (url != null)
    throw invalidValue(
      `${path}.file_url`,
      'Files are not loaded from URLs. Send `file_data`, or upload the file and send its `file_id`.',
    );
  const params = { data: `${path}.file_data`, fileId: `${path}.file_id` };
  const file = await readMessageFile(services, { name, data, fileId, params }, context);
  return { type: 'input_text', text: fencedFile('File', file) };
}
