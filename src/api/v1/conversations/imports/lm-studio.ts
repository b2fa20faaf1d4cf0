import type { ExportReader, ImportedMessage, ImportedPart } from './imported-chat.ts';
import {
  attachmentPart,
  createLeftOut,
  fencedPart,
  fieldsOf,
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
 * Reads a `*.conversation.json` of LM Studio: a list of messages, each with versions. A message continues the selected
 * version of the previous one. LM Studio does not document it.
 */
export const lmStudio: ExportReader = {
  format: 'lm_studio',
  recognizes: (value) =>
    listOf(fieldsOf(value)['messages']).some((message) =>
      Array.isArray(fieldsOf(message)['versions']),
    ),
  read: (value) => {
    const chat = fieldsOf(value);
    const leftOut = createLeftOut();
    const messages: ImportedMessage[] = [];
    let parentId: string | null = null;
    for (const [index, each] of listOf(chat['messages']).entries()) {
      const { versions, currentlySelected } = fieldsOf(each);
      const read = listOf(versions).map((version, position) =>
        readVersion(fieldsOf(version), `${index}.${position}`, parentId, leftOut.add),
      );
      messages.push(...read);
      const selected = typeof currentlySelected === 'number' ? read[currentlySelected] : undefined;
      parentId = (selected ?? read.at(-1))?.id ?? parentId;
    }
    const lastModel = fieldsOf(chat['lastUsedModel']);
    return {
      title: textOf(chat['name']),
      createdAt: timeOf(chat['createdAt']),
      systemPrompt: textOf(chat['systemPrompt']),
      model: modelOf(lastModel) ?? 'lm-studio',
      messages,
      currentId: parentId ?? undefined,
      leftOut: leftOut.counts,
    };
  },
};

function modelOf(info: Fields): string | undefined {
  return nameOf(info['indexedModelIdentifier']) ?? nameOf(info['identifier']);
}

function readVersion(
  version: Fields,
  id: string,
  parentId: string | null,
  leave: Leave,
): ImportedMessage {
  const steps = listOf(version['steps']).map(fieldsOf);
  const role = version['role'] === 'user' ? 'user' : 'assistant';
  const models = steps.map((step) => modelOf(fieldsOf(step['genInfo'])));
  const blocks = steps.flatMap((step) => readStep(step, leave));
  return {
    id,
    parentId,
    role,
    parts:
      version['role'] === 'system'
        ? []
        : [
            ...listOf(version['content']).flatMap((block) => readBlock(fieldsOf(block), leave)),
            ...blocks,
          ],
    model:
      models.find((model) => model !== undefined) ??
      nameOf(fieldsOf(version['senderInfo'])['senderName']),
  };
}

function readStep(step: Fields, leave: Leave): readonly ImportedPart[] {
  if (step['type'] !== 'contentBlock') {
    if (step['type'] !== 'debugInfoBlock') leave('parts');
    return [];
  }
  const blocks = listOf(step['content']).map(fieldsOf);
  const isText = (block: Fields) => block['type'] === 'text';
  // The text of a step may be split as the model generated it.
  const text = blocks
    .filter(isText)
    .map((block) => textOf(block['text']))
    .join('');
  const isThinking = fieldsOf(step['style'])['type'] === 'thinking';
  return [
    ...(isThinking ? reasoningPart(withoutTags(text)) : textPart(text)),
    ...blocks.filter((block) => !isText(block)).flatMap((block) => readBlock(block, leave)),
  ];
}

/** Removes the model's tags around its reasoning. */
function withoutTags(text: string): string {
  return text.replace(/^\s*<think>/, '').replace(/<\/think>\s*$/, '');
}

function readBlock(block: Fields, leave: Leave): readonly ImportedPart[] {
  switch (block['type']) {
    case 'text':
      return textPart(block['text']);
    case 'toolCallRequest':
      return fencedPart(
        `${textOf(block['name'])} ${JSON.stringify(block['parameters'] ?? {}, undefined, 2)}`,
      );
    case 'file': {
      const isImage = block['fileType'] === 'image';
      leave(isImage ? 'images' : 'files');
      const name = nameOf(block['name']) ?? nameOf(block['fileIdentifier']) ?? 'file';
      return isImage ? [{ type: 'text', text: '(Image)' }] : [attachmentPart(name)];
    }
    default:
      leave('parts');
      return [];
  }
}
