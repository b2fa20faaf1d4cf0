import type { RequestContext } from '../../kernel/request/request-context.ts';
import { readMessageFile } from '../kit/message-file.ts';
import type { ApiServices } from '../services.ts';
import type { AnthropicMessageParam, AnthropicReadableBlock } from './content-schema.ts';

type Block = Exclude<AnthropicMessageParam['content'], string>[number];

/**
 * Replaces the sources of documents that are files with their text.
 *
 * @throws HearthError `invalid_document`, `invalid_value`, `file_not_found`, `queue_full`.
 */
export async function withDocumentTexts(
  services: ApiServices,
  messages: readonly AnthropicMessageParam[],
  context: RequestContext,
): Promise<AnthropicMessageParam[]> {
  const withText = async <Each extends Block | AnthropicReadableBlock>(
    block: Each,
    path: string,
  ): Promise<Each> => {
    if (block.type === 'tool_result' && Array.isArray(block.content)) {
      const content = await readAll(block.content, `${path}.content`);
      return { ...block, content };
    }
    if (block.type !== 'document') return block;
    const { source, title: name } = block;
    if (source.type !== 'base64' && source.type !== 'file') return block;
    const data = source.type === 'base64' ? source.data : undefined;
    const fileId = source.type === 'file' ? source.file_id : undefined;
    const params = { data: `${path}.source.data`, fileId: `${path}.source.file_id` };
    const { text } = await readMessageFile(services, { name, data, fileId, params }, context);
    return { ...block, source: { type: 'text', data: text } };
  };
  const readAll = async <Each extends Block | AnthropicReadableBlock>(
    blocks: readonly Each[],
    path: string,
  ): Promise<Each[]> => {
    const read: Each[] = [];
    for (const [index, block] of blocks.entries())
      read.push(await withText(block, `${path}[${index}]`));
    return read;
  };
  const read: AnthropicMessageParam[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role !== 'user' || typeof message.content === 'string') read.push(message);
    else
      read.push({
        ...message,
        content: await readAll(message.content, `messages[${index}].content`),
      });
  }
  return read;
}
