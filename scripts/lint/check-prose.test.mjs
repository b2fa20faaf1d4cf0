import { describe, expect, it } from 'vitest';
import { checkProse } from './check-prose.mjs';

const prose = async (text, file = 'src/a/b.ts') =>
  (await checkProse([{ file, text }])).map(({ line, message }) => `${line}: ${message}`);

describe('checkProse', () => {
  it.each([
    ['/** Words that are no message are let be. */', 3],
    ['// Whoever asks.', 1],
    ["throw new Error('This shall not happen');", 1],
    ['const a = `goes on ${b} for ever`;', 2],
    ['/**\n * Runs till\n * then.\n */', 1],
    ['// Runs for\n// ever.', 1],
    ['/** Whether it runs. */', 1],
    ['// The id is that of the item.', 1],
    ['/** The name; null where it is unknown. */', 1],
    ["fail('The id is that of the item.');", 1],
  ])('rejects %j', async (text, count) => {
    expect(await prose(text)).toHaveLength(count);
  });

  it.each([
    ['// Ignores lines that are not JSON-RPC.'],
    ['// There is no model; it is no longer loaded.'],
    ["const given = 'shall';"],
    ['// The user is asked for a name.'],
    ['// `shall` is code.'],
    ["read('Once upon a time');"],
    ["it('tells whether it runs', () => {});"],
  ])('accepts %j', async (text) => {
    expect(await prose(text)).toEqual([]);
  });

  it('lets the titles of tests be short', async () => {
    const title = "it('returns those of the owner', run);";
    expect(await prose(title, 'src/a/b.test.ts')).toEqual([]);
    expect(await prose(title)).toHaveLength(1);
  });

  it('reports the line of a text, and its words', async () => {
    expect(await prose('// One.\n\nconst a = 1;\n// It shall.')).toEqual([
      expect.stringMatching(/^4: "It shall\.": Write must/),
    ]);
  });

  it('rejects long sentences of comments and pages', async () => {
    const sentence = `It ${'runs and '.repeat(60)}ends.`;
    expect(await prose(`/** ${sentence} */`)).toHaveLength(1);
    expect(await prose(`const a = '${sentence}';`)).toEqual([]);
    expect(await prose(sentence, 'docs/a.md')).toHaveLength(1);
  });

  it('reads texts of components', async () => {
    expect(await prose('const a = <p>It shall run</p>;', 'web/a.tsx')).toHaveLength(1);
  });

  it('reads Markdown without code, links and comments, and reports the line', async () => {
    const page = '# Title\n\n```\nshall\n```\n\n`shall` [a](shall.md) <!-- shall -->\n\nIt shall.';
    expect(await prose(page, 'docs/a.md')).toEqual([expect.stringMatching(/^9: .*It shall/)]);
  });
});
