import { describe, expect, it } from 'vitest';
import {
  chatgptExport,
  claudeExport,
  lmStudioExport,
  openWebuiExport,
} from '../../../../../test/setup/conversations/app-exports.ts';
import { decodeTurn } from '../../../../store/turns/conversation-turn.ts';
import { chatgpt } from './chatgpt.ts';
import { claude } from './claude.ts';
import { ImportError, type ExportReader } from './imported-chat.ts';
import { lmStudio } from './lm-studio.ts';
import { openWebui } from './open-webui.ts';
import { toConversation } from './to-conversation.ts';

const readers = [chatgpt, claude, openWebui, lmStudio];

/** The responses in short: id, parent, question, answer, model and time. */
function read(reader: ExportReader, value: unknown) {
  const { title, responses } = toConversation(reader.read(value));
  return {
    title,
    responses: responses.map(({ id, parentId, modelKey, createdAt, turn }) => {
      const { messages, items, systemPrompt, isInterrupted } = decodeTurn(JSON.stringify(turn));
      const texts = messages.flatMap(({ content }) =>
        content.map((part) => (part.type === 'text' ? part.text : '')),
      );
      const answer = items.map((item) => ('text' in item ? [item.type, item.text] : [item.type]));
      const time = createdAt.toISOString();
      return { id, parentId, modelKey, time, systemPrompt, isInterrupted, texts, answer };
    }),
  };
}

it('reads branches, reasoning, code and attachments of ChatGPT', () => {
  const { title, responses } = read(chatgpt, chatgptExport[0]);
  expect(title).toBe('Tides');
  const texts = ['(Attachment: tides.xlsx)', '(Image)', 'Why are there tides?'];
  expect(responses).toMatchObject([
    {
      id: 'answer-a',
      parentId: null,
      modelKey: 'o3',
      time: '2024-11-02T09:33:20.250Z',
      texts,
      answer: [
        ['reasoning', 'The moon\n\nIt pulls.'],
        ['message', '```python\nprint(1)\n```\n\n```\n1\n```\n\nThe moon pulls.'],
      ],
    },
    {
      id: 'answer-b',
      parentId: null,
      modelKey: 'gpt-4o',
      texts,
      answer: [['message', 'Because of the moon.']],
    },
  ]);
  expect(chatgpt.read(chatgptExport[0]).leftOut).toEqual({ images: 1, files: 1, parts: 0 });
});

it('reads branches, reasoning, artifacts and files of Claude', () => {
  const { title, responses } = read(claude, claudeExport[0]);
  expect(title).toBe('Sea poem');
  expect(responses).toMatchObject([
    {
      id: 'm2',
      parentId: null,
      modelKey: 'claude',
      time: '2025-05-01T10:01:00.000Z',
      texts: ['File notes.md:\n\n```md\n# Waves\n```', '(Attachment: photo.jpg)', 'Write a poem.'],
      answer: [
        ['reasoning', 'A short one.'],
        ['message', 'Here it is.\n\n**Poem**\n\n```text\nFoam\nfolds\n```'],
      ],
    },
    { id: 'm3', parentId: null, isInterrupted: true, texts: ['Write a haiku.'], answer: [] },
  ]);
  expect(claude.read(claudeExport[0]).leftOut).toEqual({ images: 0, files: 1, parts: 1 });
});

it('reads older exports of Claude, in which each message continues the one before it', () => {
  const [chat] = claudeExport;
  const messages = chat?.chat_messages.map((each) => ({ ...each, parent_message_uuid: undefined }));
  const { responses } = read(claude, { ...chat, chat_messages: messages });
  expect(responses.map(({ id, parentId }) => [id, parentId])).toEqual([
    ['m2', null],
    ['m3', 'm2'],
  ]);
});

it('reads branches, reasoning and files of Open WebUI', () => {
  const { title, responses } = read(openWebui, openWebuiExport[0]);
  expect(title).toBe('Colors');
  // The shown answer is the last one.
  expect(responses).toMatchObject([
    { id: 'a2', modelKey: 'qwen3:4b', answer: [['message', 'Blue.']] },
    {
      id: 'a1',
      modelKey: 'llama3.2:3b',
      systemPrompt: 'Be brief.',
      time: '2025-02-19T21:20:10.000Z',
      texts: [
        'File sea.txt:\n\n```txt\nBlue and green.\n```',
        '(Image)',
        'Which colors has the sea?',
      ],
      answer: [
        ['reasoning', 'Blue & green\nit is'],
        ['message', 'Blue and green.'],
      ],
    },
  ]);
  expect(read(openWebui, openWebuiExport[0]?.chat).title).toBe('Colors');
});

it('reads versions, reasoning and files of LM Studio', () => {
  const { title, responses } = read(lmStudio, lmStudioExport);
  expect(title).toBe('Greeting');
  expect(responses).toMatchObject([
    {
      id: '1.0',
      parentId: null,
      modelKey: 'qwen/qwen3-4b',
      systemPrompt: 'You are kind.',
      time: '2025-06-15T15:06:40.000Z',
      texts: ['Hello', '(Attachment: letter.pdf)'],
      answer: [
        ['reasoning', 'A greeting.'],
        ['message', 'Hello there!'],
      ],
    },
    { id: '1.1', parentId: null, answer: [['message', 'Good day.']] },
    { id: '2.0', parentId: '1.0', texts: ['And goodbye'], isInterrupted: true },
  ]);
});

it.each(readers.map((reader) => [reader.format, reader] as const))(
  'recognizes chats of %s only',
  (_, reader) => {
    const all: readonly unknown[] = [
      chatgptExport[0],
      claudeExport[0],
      openWebuiExport[0],
      lmStudioExport,
    ];
    expect(all.map((each) => reader.recognizes(each))).toEqual(
      readers.map((each) => each === reader),
    );
    for (const other of [null, [], 'text', 1, {}, { messages: [{ role: 'user' }] }]) {
      expect(reader.recognizes(other)).toBe(false);
    }
  },
);

describe('wrong types in every place of a chat', () => {
  it.each([
    ['chatgpt', chatgpt, chatgptExport[0]],
    ['claude', claude, claudeExport[0]],
    ['open_webui', openWebui, openWebuiExport[0]],
    ['lm_studio', lmStudio, lmStudioExport],
  ] as const)('are read, or refused as one chat: %s', (_, reader, chat) => {
    const failures: unknown[] = [];
    for (const wrong of [null, 7, 'text', [[]], { a: {} }]) {
      for (const path of pathsOf(chat)) {
        const changed = replaced(chat, path, wrong);
        if (!reader.recognizes(changed)) continue;
        try {
          read(reader, changed);
        } catch (error) {
          if (!(error instanceof ImportError)) failures.push([path.join('.'), error]);
        }
      }
    }
    expect(failures).toEqual([]);
  });
});

function pathsOf(value: unknown): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    [key],
    ...pathsOf(inner).map((path) => [key, ...path]),
  ]);
}

function replaced(value: unknown, path: readonly string[], by: unknown): unknown {
  const copy = structuredClone(value) as Record<string, unknown>;
  let place = copy;
  for (const key of path.slice(0, -1)) place = place[key] as Record<string, unknown>;
  place[path.at(-1) ?? ''] = by;
  return copy;
}
