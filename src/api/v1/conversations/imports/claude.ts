import type { ExportReader, ImportedMessage, ImportedPart } from './imported-chat.ts';
import {
  attachmentPart,
  createLeftOut,
  fencedPart,
  fieldsOf,
  filePart,
  listOf,
  nameOf,
  reasoningPart,
  textOf,
  textPart,
  timeOf,
  type Fields,
  type Leave,
} from './values.ts';

/** Parent id of messages that begin a chat. */
const noParent = '00000000-0000-4000-8000-000000000000';

/**
 * Reads `conversations.json` of Claude: an array of chats with `chat_messages`. Newer exports contain the parent of
 * each message. In older ones, each message continues the previous one. Anthropic does not document it.
 */
export const claude: ExportReader = {
  format: 'claude',
  recognizes: (value) => Array.isArray(fieldsOf(value)['chat_messages']),
  read: (value) => {
    const chat = fieldsOf(value);
    const leftOut = createLeftOut();
    let previous: string | null = null;
    const messages = listOf(chat['chat_messages']).map((each, index) => {
      const message = readMessage(each, { index, previous, leave: leftOut.add });
      previous = message.id;
      return message;
    });
    return {
      title: textOf(chat['name']),
      createdAt: timeOf(chat['created_at']),
      model: nameOf(chat['model']) ?? 'claude',
      messages,
      currentId: nameOf(chat['current_leaf_message_uuid']) ?? messages.at(-1)?.id,
      leftOut: leftOut.counts,
    };
  },
};

function readMessage(
  value: unknown,
  {
    index,
    previous,
    leave,
  }: { readonly index: number; readonly previous: string | null; readonly leave: Leave },
): ImportedMessage {
  const message = fieldsOf(value);
  const parent = nameOf(message['parent_message_uuid']);
  const content = listOf(message['content']).flatMap((block) => readBlock(block, leave));
  return {
    id: nameOf(message['uuid']) ?? `message ${index}`,
    parentId: parent === noParent ? null : (parent ?? previous),
    role: message['sender'] === 'human' ? 'user' : 'assistant',
    parts: [
      ...readAttachments(message, leave),
      ...(content.length > 0 ? content : textPart(message['text'])),
    ],
    createdAt: timeOf(message['created_at']),
  };
}

function readAttachments(message: Fields, leave: Leave): readonly ImportedPart[] {
  const attachments = listOf(message['attachments']).flatMap((each) => {
    const file = fieldsOf(each);
    const name = nameOf(file['file_name']) ?? 'text';
    if (textOf(file['extracted_content']).trim() !== '') {
      return filePart(name, file['extracted_content']);
    }
    leave('files');
    return [attachmentPart(name)];
  });
  const files = listOf(message['files']).flatMap((each) => {
    const name = nameOf(fieldsOf(each)['file_name']);
    if (name === undefined) return [];
    leave('files');
    return [attachmentPart(name)];
  });
  return [...attachments, ...files];
}

function readBlock(value: unknown, leave: Leave): readonly ImportedPart[] {
  const block = fieldsOf(value);
  switch (block['type']) {
    case 'text':
      return textPart(block['text']);
    case 'thinking':
      return reasoningPart(block['thinking']);
    case 'tool_use':
      return readToolUse(textOf(block['name']), block['input']);
    case 'token_budget':
      return [];
    default:
      // Results of tools and unknown blocks.
      leave('parts');
      return [];
  }
}

/** An artifact is shown as its code, any other call as its input. */
function readToolUse(name: string, value: unknown): readonly ImportedPart[] {
  const input = fieldsOf(value);
  const [code, title] = [textOf(input['content']), nameOf(input['title'])];
  if (name === 'artifacts' && code !== '') {
    return [
      ...(title === undefined ? [] : textPart(`**${title}**`)),
      ...fencedPart(code, textOf(input['language'])),
    ];
  }
  return fencedPart(`${name} ${JSON.stringify(value ?? {}, undefined, 2)}`);
}
