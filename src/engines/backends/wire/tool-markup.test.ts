import { describe, expect, it } from 'vitest';
import { ToolMarkupReader, type MarkupPiece } from './tool-markup.ts';

/** Decodes a text that arrives in pieces of a fixed length, and joins the texts. */
function read(
  text: string,
  length = text.length,
  isOnlyAtStart = false,
): readonly (string | object)[] {
  const reader = new ToolMarkupReader(isOnlyAtStart);
  const pieces: MarkupPiece[] = [];
  for (let at = 0; at < text.length; at += length) {
    pieces.push(...reader.push(text.slice(at, at + length)));
  }
  pieces.push(...reader.end());
  const joined: (string | object)[] = [];
  for (const piece of pieces) {
    const last = joined.at(-1);
    if (piece.type === 'call') joined.push({ [piece.name]: piece.argumentsJson });
    else if (typeof last === 'string') joined[joined.length - 1] = last + piece.text;
    else joined.push(piece.text);
  }
  return joined;
}

const call = '{"name": "get_tide", "arguments": {"harbour": "Brest"}}';
const tide = { get_tide: '{"harbour":"Brest"}' };

describe('markup of tool calls', () => {
  it.each([
    ['Qwen', `<tool_call>\n${call}\n</tool_call>`, [tide]],
    ['several', `<tool_call>${call}</tool_call>\n<tool_call>${call}</tool_call>\n`, [tide, tide]],
    [
      'text before and after',
      `Let me see.\n<tool_call>${call}</tool_call>\nSo.`,
      ['Let me see.\n', tide, 'So.'],
    ],
    ['a call that was cut', `<tool_call>${call}`, [tide]],
    ['Mistral', `[TOOL_CALLS][${call}]`, [tide]],
    [
      'newer Mistral',
      '[TOOL_CALLS]get_tide[ARGS]{"harbour": "Brest"}',
      [{ get_tide: '{"harbour": "Brest"}' }],
    ],
    ['Llama', `<|python_tag|>${call.replace('arguments', 'parameters')}`, [tide]],
    [
      'Llama with a function tag',
      '<function=get_tide>{"harbour": "Brest"}</function>',
      [{ get_tide: '{"harbour": "Brest"}' }],
    ],
    [
      'Qwen Coder',
      '<tool_call>\n<function=get_tide>\n<parameter=harbour>\nBrest\n</parameter>\n</function>\n</tool_call>',
      [{ get_tide: '{}' }],
    ],
    ['text after white space', `\n[1] <tool_call>${call}</tool_call>`, ['\n[1] ', tide]],
    ['white space before', `\n\n<tool_call>${call}</tool_call>`, [tide]],
    ['nonsense', '<tool_call></tool_call>', [{ '': '{}' }]],
  ])('is read as calls: %s', (_, text, expected) => {
    expect(read(text)).toEqual(expected);
    expect(read(text, 1)).toEqual(expected);
    expect(read(text, 7)).toEqual(expected);
  });

  it.each([
    'Plain text.',
    '\n\n Text after white space \n',
    '\n',
    'a < b, a[0] and `code` and <b>tags</b> and <tool',
    `Like this:\n\`\`\`xml\n<tool_call>${call}</tool_call>\n\`\`\`\nEnd.`,
  ])('keeps other text unchanged: %s', (text) => {
    expect(read(text)).toEqual([text]);
    expect(read(text, 1)).toEqual([text]);
    expect(read(text, 3)).toEqual([text]);
  });

  it.each([
    [`Write <tool_call>${call}</tool_call>.`, [`Write <tool_call>${call}</tool_call>.`]],
    [`\n<tool_call>${call}</tool_call> or <function=f>`, [tide, 'or ', { f: '{}' }]],
  ])('counts only at the start of a text if a server parses calls itself: %s', (text, expected) => {
    for (const length of [text.length, 1, 7]) expect(read(text, length, true)).toEqual(expected);
  });

  it('holds no text back but what may begin a mark', () => {
    const reader = new ToolMarkupReader();
    expect(reader.push('Hello ')).toEqual([{ type: 'text', text: 'Hello ' }]);
    expect(reader.push('a <to')).toEqual([{ type: 'text', text: 'a ' }]);
    expect(reader.push('ast>')).toEqual([{ type: 'text', text: '<toast>' }]);
  });
});
