import type { ExportReader, ImportedMessage, ImportedPart } from './imported-chat.ts';
import {
  attachmentPart,
  createLeftOut,
  fieldsOf,
  filePart,
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
 * Reads exported chats of Open WebUI, one or an array: `chat.history.messages` is a tree. Reasoning and tool calls are
 * `<details>` in the texts. Source: `src/lib/components/chat` and `backend/open_webui/utils/middleware.py` of Open
 * WebUI.
 */
export const openWebui: ExportReader = {
  format: 'open_webui',
  recognizes: (value) => isObject(fieldsOf(chatOf(value)['history'])['messages']),
  read: (value) => {
    const record = fieldsOf(value);
    const chat = chatOf(value);
    const history = fieldsOf(chat['history']);
    const leftOut = createLeftOut();
    const messages = Object.entries(fieldsOf(history['messages'])).map(([id, message]) =>
      readMessage(id, fieldsOf(message), leftOut.add),
    );
    const system = nameOf(chat['system']) ?? nameOf(fieldsOf(chat['params'])['system']);
    return {
      title: textOf(record['title'] ?? chat['title']),
      createdAt: timeOf(record['created_at'] ?? chat['timestamp']),
      systemPrompt:
        system === undefined
          ? undefined
          : textOf(chat['system'] ?? fieldsOf(chat['params'])['system']),
      model: nameOf(listOf(chat['models'])[0]) ?? 'open-webui',
      messages,
      currentId: nameOf(history['currentId']),
      leftOut: leftOut.counts,
    };
  },
};

/** The chat is a field of a database record; in exports of earlier versions it is the top-level object. */
function chatOf(value: unknown) {
  const record = fieldsOf(value);
  return isObject(record['chat']) ? record['chat'] : record;
}

function readMessage(id: string, message: Fields, leave: Leave): ImportedMessage {
  const isUser = message['role'] === 'user';
  const isShown = isUser || message['role'] === 'assistant';
  const content = textOf(message['content']);
  return {
    id,
    parentId: nameOf(message['parentId']) ?? null,
    role: isUser ? 'user' : 'assistant',
    parts: isShown
      ? [
          ...listOf(message['files']).flatMap((file) => readFile(fieldsOf(file), leave)),
          ...(isUser ? textPart(content) : readAnswer(content, leave)),
        ]
      : [],
    model: nameOf(message['model']),
    createdAt: timeOf(message['timestamp']),
  };
}

function readFile(file: Fields, leave: Leave): readonly ImportedPart[] {
  if (file['type'] === 'image') {
    leave('images');
    return [{ type: 'text', text: '(Image)' }];
  }
  const inner = fieldsOf(file['file']);
  const name = nameOf(file['name']) ?? nameOf(inner['filename']) ?? 'file';
  const { content } = fieldsOf(inner['data']);
  if (textOf(content).trim() !== '') return filePart(name, content);
  leave('files');
  return [attachmentPart(name)];
}

const openDetails = '<details type="';
const endDetails = '</details>';

/** Splits an answer into text and Open WebUI's `<details>`. */
function readAnswer(content: string, leave: Leave): readonly ImportedPart[] {
  const parts: ImportedPart[] = [];
  let position = 0;
  while (true) {
    const start = content.indexOf(openDetails, position);
    const end = start === -1 ? -1 : content.indexOf(endDetails, start);
    if (end === -1) break;
    parts.push(...textPart(content.slice(position, start).trim()));
    const details = content.slice(start, end);
    if (details.startsWith(`${openDetails}reasoning"`)) {
      parts.push(...reasoningPart(reasoningOf(details)));
    } else {
      leave('parts');
    }
    position = end + endDetails.length;
  }
  return [...parts, ...textPart(content.slice(position).trim())];
}

/** The text after the summary, without the `>` with which quoted lines start. */
function reasoningOf(details: string): string {
  const summary = details.indexOf('</summary>');
  const start = summary === -1 ? details.indexOf('>') + 1 : summary + '</summary>'.length;
  return unescapeHtml(details.slice(start).replaceAll(/^> ?/gm, ''));
}

const entities: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#x27;': "'",
  '&#39;': "'",
  '&amp;': '&',
};

function unescapeHtml(text: string): string {
  return text
    .replaceAll(/&(?:lt|gt|quot|#x27|#39|amp);/g, (entity) => entities[entity] ?? entity)
    .replaceAll(/^> ?/gm, '');
}
