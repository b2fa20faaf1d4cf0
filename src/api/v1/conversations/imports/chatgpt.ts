import type { ExportReader, ImportedChat, ImportedMessage, ImportedPart } from './imported-chat.ts';
import {
  attachmentPart,
  createLeftOut,
  fencedPart,
  fieldsOf,
  isObject,
  listOf,
  nameOf,
  reasoningPart,
  textOf,
  textPart,
  timeOf,
  type Fields,
  type Leave,
} from './values.ts';

/**
 * Reads `conversations.json` of ChatGPT: an array of chats, each with a tree of messages in `mapping`. OpenAI does not
 * document it.
 */
export const chatgpt: ExportReader = {
  format: 'chatgpt',
  recognizes: (value) => isObject(fieldsOf(value)['mapping']),
  read: (value) => {
    const chat = fieldsOf(value);
    const leftOut = createLeftOut();
    const nodes = Object.entries(fieldsOf(chat['mapping']));
    return {
      title: textOf(chat['title']),
      createdAt: timeOf(chat['create_time']),
      model: nameOf(chat['default_model_slug']) ?? 'chatgpt',
      messages: inShownOrder(nodes).map(([id, node]) => readNode(id, node, leftOut.add)),
      currentId: nameOf(chat['current_node']),
      leftOut: leftOut.counts,
    } satisfies ImportedChat;
  },
};

/** Nodes in the order of their parents' `children`, in which the app shows branches. */
function inShownOrder(nodes: readonly (readonly [string, unknown])[]) {
  const places = new Map<string, number>();
  for (const [, node] of nodes) {
    for (const [place, child] of listOf(fieldsOf(node)['children']).entries()) {
      places.set(textOf(child), place);
    }
  }
  return nodes.toSorted(([one], [other]) => (places.get(one) ?? 0) - (places.get(other) ?? 0));
}

function readNode(id: string, value: unknown, leave: Leave): ImportedMessage {
  const node = fieldsOf(value);
  const message = fieldsOf(node['message']);
  const metadata = fieldsOf(message['metadata']);
  const { role } = fieldsOf(message['author']);
  const isHidden = role === 'system' || metadata['is_visually_hidden_from_conversation'] === true;
  return {
    id,
    parentId: nameOf(node['parent']) ?? null,
    role: role === 'user' ? 'user' : 'assistant',
    parts: isHidden
      ? []
      : [
          ...readAttachments(metadata['attachments'], leave),
          ...readContent(fieldsOf(message['content']), message, leave),
        ],
    model: nameOf(metadata['model_slug']),
    createdAt: timeOf(message['create_time']),
  };
}

function readAttachments(value: unknown, leave: Leave): readonly ImportedPart[] {
  return listOf(value).flatMap((each) => {
    const { name, mime_type: mimeType } = fieldsOf(each);
    const shown = nameOf(name);
    // Images are already included as parts of the message.
    if (shown === undefined || textOf(mimeType).startsWith('image/')) return [];
    leave('files');
    return [attachmentPart(shown)];
  });
}

function readContent(content: Fields, message: Fields, leave: Leave): readonly ImportedPart[] {
  const isTool = fieldsOf(message['author'])['role'] === 'tool';
  const recipient = message['recipient'] ?? 'all';
  switch (content['content_type']) {
    case 'text':
    case 'multimodal_text': {
      const parts = listOf(content['parts']).flatMap((part) => readPart(part, leave));
      if (isTool && parts.length > 0) {
        // A tool's result: pages and passages for the model.
        leave('parts');
        return [];
      }
      // Text that the model sent to a tool.
      if (recipient !== 'all') return parts.flatMap(({ text }) => fencedPart(text));
      return parts;
    }
    case 'code': {
      const language = textOf(content['language']);
      return fencedPart(content['text'], language === 'unknown' ? '' : language);
    }
    case 'execution_output':
      return fencedPart(content['text']);
    case 'thoughts':
      return listOf(content['thoughts']).flatMap((thought) => {
        const { summary, content: text } = fieldsOf(thought);
        return reasoningPart([textOf(summary), textOf(text)].filter(Boolean).join('\n\n'));
      });
    // No content worth importing: "Thought for 5 seconds", the user's instructions, or an empty message.
    case 'reasoning_recap':
    case 'user_editable_context':
    case undefined:
      return [];
    default:
      leave('parts');
      return [];
  }
}

/** Citation markers, whose sources are not in the text. */
const citations = /\ue200[^\ue200\ue201]{0,500}\ue201/g;

function readPart(part: unknown, leave: Leave): readonly ImportedPart[] {
  if (typeof part === 'string') return textPart(part.replaceAll(citations, ''));
  const { content_type: type, text } = fieldsOf(part);
  if (type === 'audio_transcription') return textPart(text);
  leave(type === 'image_asset_pointer' ? 'images' : 'parts');
  return type === 'image_asset_pointer' ? [{ type: 'text', text: '(Image)' }] : [];
}
