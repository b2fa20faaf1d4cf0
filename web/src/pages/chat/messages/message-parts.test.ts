import { expect, it } from 'vitest';
import { filePart } from '../documents/document-part.ts';
import { messageParts, withoutProjectParts, withText } from './message-parts.ts';

const image = { type: 'image' as const, data_url: 'data:image/png;base64,ab' };
const file = {
  type: 'text' as const,
  content: filePart({ name: 'a.md', sections: [{ text: 'A' }] }),
};
const words = { type: 'text' as const, content: 'What is it?' };

it('keeps images and documents when the words change', () => {
  const input = [image, file, words];
  expect(messageParts(input)).toEqual({
    media: [image],
    documents: [{ kind: 'file', name: 'a.md', text: 'A' }],
    text: 'What is it?',
  });
  expect(withText(input, 'Why?')).toEqual([image, file, { type: 'text', content: 'Why?' }]);
});

it('leaves out what the server adds to a message of a project', () => {
  const ofProject = { type: 'text' as const, content: 'Project file a.md:\n\n```\nA\n```' };
  const input = [ofProject, file, words];
  expect(messageParts(input).documents).toHaveLength(2);
  expect(withoutProjectParts(input)).toEqual([file, words]);
  expect(withText(input, 'Why?')).toEqual([file, { type: 'text', content: 'Why?' }]);
});
