import { describe, expect, it } from 'vitest';
import { createWordWrap } from './word-wrap.ts';

/** The output as a terminal shows it: erased text is overwritten. */
function render(output: string): string {
  const lines = [''];
  for (const [part, back] of output.replaceAll('\u001b', '^').matchAll(/\^\[(\d+)D\^\[K|[\s\S]/g)) {
    const last = lines.at(-1) ?? '';
    if (back !== undefined) lines[lines.length - 1] = last.slice(0, -Number(back));
    else if (part === '\n') lines.push('');
    else lines[lines.length - 1] = last + part;
  }
  return lines.map((line) => line.trimEnd()).join('\n');
}

function wrap(chunks: Iterable<string>, columns: number): string {
  let output = '';
  const write = createWordWrap(
    (text) => {
      output += text;
    },
    () => columns,
  );
  for (const chunk of chunks) write(chunk);
  return render(output);
}

const text = 'The quick brown fox jumps over the lazy dog.';

describe('createWordWrap', () => {
  it.each([
    [80, text],
    [21, 'The quick brown fox\njumps over the lazy\ndog.'],
    [20, 'The quick brown fox\njumps over the lazy\ndog.'],
    [19, 'The quick brown\nfox jumps over the\nlazy dog.'],
  ])('breaks lines between words, in %d columns', (columns, lines) => {
    expect(wrap([text], columns)).toBe(lines);
    expect(wrap(text, columns)).toBe(lines);
    expect(wrap(text.match(/.{1,3}/g) ?? [], columns)).toBe(lines);
  });

  it('shows text at once', () => {
    const written: string[] = [];
    const write = createWordWrap(
      (part) => written.push(part),
      () => 10,
    );
    write('On');
    expect(written).toEqual(['On']);
  });

  it('keeps line breaks and indentation', () => {
    expect(wrap(['a\n\n  b\n- c'], 20)).toBe('a\n\n  b\n- c');
  });

  it('leaves a word longer than the line to the terminal', () => {
    const url = 'https://example.com/a/very/long/path';
    expect(wrap([`See ${url} now`], 20)).toContain(url.slice(20));
    expect(wrap([url], 20)).toBe(url);
  });

  it('leaves code to the terminal', () => {
    const code = '```js\nconst answer = await client.call(chat, body);\n```';
    expect(wrap([`${code}\n${text}`], 20)).toBe(
      `${code}\nThe quick brown fox\njumps over the lazy\ndog.`,
    );
  });

  it('breaks between wide characters', () => {
    expect(wrap(['日本語のモデルです'], 10)).toBe('日本語の\nモデルで\nす');
  });

  it('follows the width of the terminal', () => {
    let columns = 80;
    let output = '';
    const write = createWordWrap(
      (part) => {
        output += part;
      },
      () => columns,
    );
    write('The quick ');
    columns = 12;
    write('brown fox');
    expect(render(output)).toBe('The quick\nbrown fox');
  });
});
