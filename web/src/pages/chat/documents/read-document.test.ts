import { expect, it } from 'vitest';
import { decodeText, readDocument } from './read-document.ts';

it('takes UTF-8 for text, and other bytes for something else', () => {
  const bytes = (...values: readonly number[]) => new Uint8Array(values).buffer;
  expect(decodeText(bytes(0xc3, 0xa9))).toBe('é');
  expect(decodeText(bytes(0xff, 0xd8, 0xff))).toBeUndefined();
  expect(decodeText(bytes(65, 0, 66))).toBeUndefined();
});

it.each(['notes.txt', 'page.md', 'main.rs', 'table.csv'])('reads %s', async (name) => {
  expect(await readDocument(new File(['a,b\n1,2'], name))).toEqual({
    name,
    sections: [{ text: 'a,b\n1,2' }],
  });
});

it('names a file that it cannot read', async () => {
  const program = new File([new Uint8Array([0, 255])], 'a.bin');
  await expect(readDocument(program)).rejects.toThrow(
    'a.bin is neither an image, a document nor text',
  );
});
