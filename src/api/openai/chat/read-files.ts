import type { RequestContext } from '../../../kernel/request/request-context.ts';
import { fencedFile } from '../../../kernel/code-fence.ts';
import { readMessageFile } from '../../kit/message-file.ts';
import type { ApiServices } from '../../services.ts';
import type { V0Message } from '../v0/chat-completion-schema.ts';

/**
 * Replaces the files in the messages of a request with their text.
 *
 * @throws HearthError `invalid_document`, `invalid_value`, `file_not_found`, `queue_full`.
 */
export async function withFileTexts<Body extends { readonly messages: readonly V0Message[] }>(
  services: ApiServices,
  body: Body,
  context: RequestContext,
): Promise<Body> {
  const messages: V0Message[] = [];
  for (const [index, message] of body.messages.entries()) {
    if (message.role !== 'user' || typeof message.content === 'string') {
      messages.push(message);
      continue;
    }
    const content: typeof message.content = [];
    for (const [position, part] of message.content.entries()) {
      if (part.type !== 'file') {
        content.push(part);
        continue;
      }
      const { filename: name, file_data: data, file_id: fileId } = part.file;
      const path = `messages[${index}].content[${position}].file`;
      const params = { data: `${path}.file_data`, fileId: `${path}.file_id` };
      const file = await readMessageFile(services, { name, data, fileId, params }, context);
      content.push({ type: 'text', text: fencedFile('File', file) });
    }
    messages.push({ ...message, content });
  }
  return { ...body, messages };
}
