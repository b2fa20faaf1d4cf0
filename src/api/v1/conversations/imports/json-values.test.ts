import { expect, it } from 'vitest';
import { jsonValues } from './json-values.ts';

async function* inPieces(text: string, size: number) {
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length; start += size)
    yield bytes.subarray(start, start + size);
}

async function split(text: string, size = 3, maxBytes = 100) {
  const values: (string | undefined)[] = [];
  for await (const value of jsonValues(inPieces(text, size), maxBytes))
    values.push(value?.toString());
  return values;
}

it.each([
  ['[{"a":"]}\\""},[1,{"b":[]}], 5, "x"]', ['{"a":"]}\\""}', '[1,{"b":[]}]']],
  ['\uFEFF {"a":[1]} ', ['{"a":[1]}']],
  ['[]', []],
  ['"text"', []],
  ['PK\u0003', []],
  ['', []],
])('splits %s', async (text, values) => {
  for (const size of [1, 2, 3, 1000]) expect(await split(text, size)).toEqual(values);
});

it('leaves out values that are too large', async () => {
  const text = JSON.stringify([{ a: 'a'.repeat(200) }, { b: 1 }]);
  expect(await split(text)).toEqual([undefined, '{"b":1}']);
});

it.each(['[{"a":1},{"b"', '{"a":1', '[{"a":"'])(
  'notices that %s ends in the middle',
  async (text) => {
    await expect(split(text)).rejects.toThrow('ends in the middle');
  },
);
