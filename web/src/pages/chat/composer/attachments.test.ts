import { expect, it } from 'vitest';
import { decodeText, fileText } from './attachments.ts';

it('puts a file between fences that it does not contain', () => {
  expect(fileText('a.py', 'print(1)\n')).toBe('File a.py:\n\n```py\nprint(1)\n```');
  expect(fileText('notes', 'a\n````\nb')).toBe('File notes:\n\n`````\na\n````\nb\n`````');
});

it('takes UTF-8 for text, and other bytes for something else', () => {
  const bytes = (...values: readonly number[]) => new Uint8Array(values).buffer;
  expect(decodeText(bytes(0xc3, 0xa9))).toBe('é');
  expect(decodeText(bytes(0xff, 0xd8, 0xff))).toBeUndefined();
  expect(decodeText(bytes(65, 0, 66))).toBeUndefined();
});
