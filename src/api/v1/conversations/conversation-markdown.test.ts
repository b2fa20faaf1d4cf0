import { expect, it } from 'vitest';
import type { TurnItem } from '../../../store/turns/turn-item.ts';
import type { StoredResponse } from '../../../store/store.ts';
import { toMarkdown } from './conversation-markdown.ts';

const markdownOf = (...items: readonly TurnItem[]) =>
  toMarkdown({
    modelKey: 'test/model',
    turn: { systemPrompt: null, messages: [], items },
  } as unknown as StoredResponse);

const callWith = (text: string): TurnItem => ({
  type: 'toolCall',
  round: 0,
  exposedName: 'read',
  tool: 'read',
  provider: { type: 'plugin', pluginId: 'mcp/files' },
  arguments: { path: 'a' },
  result: [{ type: 'text', text }],
  isError: false,
});

it('shows calls in fences longer than those of their results', () => {
  expect(markdownOf(callWith('one ```` two'), { type: 'message', text: 'Done.' })).toBe(
    '\n## test/model\n\n```\nread {"path":"a"}\n```\n\n`````\none ```` two\n`````\n\nDone.\n',
  );
});

it('shows a result with very many backticks', () => {
  const text = '` '.repeat(500_000);
  expect(markdownOf(callWith(text))).toContain(`\n\`\`\`\n${text}\n`);
});

it('leaves out an empty system prompt', () => {
  const turn = { systemPrompt: '', messages: [], items: [{ type: 'message', text: 'Done.' }] };
  const response = { modelKey: 'test/model', turn } as unknown as StoredResponse;
  expect(toMarkdown(response)).toBe('\n## test/model\n\nDone.\n');
});
