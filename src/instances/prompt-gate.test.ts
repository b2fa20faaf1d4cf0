import { describe, expect, it, vi } from 'vitest';
import { deferred } from '../../test/setup/deferred.ts';
import { testContext } from '../../test/setup/test-context.ts';
import type { ChatGeneration, Engine, ToolDefinition } from '../engine/engine.ts';
import type { TokenizerFacts } from '../models/tokenizer-facts.ts';
import { PromptGate } from './prompt-gate.ts';

const bytes: TokenizerFacts = { keeps: 'bytes', longestTokenBytes: 10 };
const words: TokenizerFacts = { keeps: 'words', longestTokenBytes: 10 };
const contextLength = 10_000;

/** An engine whose tokens have four characters, and whose template writes the content and the tools. */
function setUp(tokenizer: TokenizerFacts | null, countTimeoutMs?: number) {
  const countTokens = vi.fn<Engine['countTokens']>(async (text) => Math.ceil(text.length / 4));
  const renderPrompt = vi.fn<Engine['renderPrompt']>(
    async ({ messages, tools = [] }) => JSON.stringify(messages) + JSON.stringify(tools),
  );
  const engine = { countTokens, renderPrompt } as unknown as Engine;
  const limits = countTimeoutMs === undefined ? {} : { countTimeoutMs };
  const gate = new PromptGate({ engine, tokenizer, contextLength, ...limits });
  return { gate, countTokens, renderPrompt };
}

const chat = (content: string, tools: readonly ToolDefinition[] = []): ChatGeneration => ({
  kind: 'chat',
  messages: [{ role: 'user', content }],
  tools,
  sampling: {},
});
const tooLong = (message: RegExp) => ({
  code: 'context_length_exceeded',
  message: expect.stringMatching(message),
});

describe('a chat', () => {
  it('is rejected without the engine if it can not fit', async () => {
    const { gate, countTokens, renderPrompt } = setUp(bytes);
    await expect(gate.admit(chat('a'.repeat(200_000)), testContext())).rejects.toMatchObject(
      tooLong(/^The prompt has at least 20000 tokens; the context of the model holds 10000\.$/),
    );
    expect([countTokens.mock.calls, renderPrompt.mock.calls]).toEqual([[], []]);
  });

  it('is rejected without the engine if its tools can not fit', async () => {
    const { gate, renderPrompt } = setUp(bytes);
    const tools = [{ name: 'a', description: 'x'.repeat(1_100_000), parameters: {} }];
    const request = chat('Hello!', tools);
    expect(gate.isLong(request)).toBe(true);
    await expect(gate.admit(request, testContext())).rejects.toMatchObject(tooLong(/1100\d\d/));
    expect(renderPrompt).not.toHaveBeenCalled();
  });

  it('is counted with its tools as the template writes them', async () => {
    const { gate, countTokens } = setUp(bytes);
    const tools = [{ name: 'a', description: 'x'.repeat(90_000), parameters: {} }];
    await expect(gate.admit(chat('a'.repeat(30_000), tools), testContext())).rejects.toMatchObject(
      tooLong(/at least 1200\d tokens/),
    );
    expect(countTokens).not.toHaveBeenCalled();
  });

  it('is counted in pieces until it has too many tokens', async () => {
    const { gate, countTokens } = setUp(bytes);
    await expect(gate.admit(chat('word '.repeat(19_000)), testContext())).rejects.toMatchObject(
      tooLong(/at least \d{5} tokens/),
    );
    expect(countTokens.mock.calls.length).toBeGreaterThan(0);
    for (const [piece] of countTokens.mock.calls) expect(piece.length).toBeLessThanOrEqual(65_536);
  });

  it('is admitted if its tokens fit', async () => {
    const { gate, countTokens } = setUp(bytes);
    countTokens.mockImplementation(async (text) => Math.ceil(text.length / 8));
    await gate.admit(chat('word '.repeat(14_000)), testContext());
    expect(countTokens.mock.calls.map(([piece]) => piece).join('')).toContain(
      'word '.repeat(14_000),
    );
  });

  it('is rejected if it takes too long to count', async () => {
    const { gate, countTokens } = setUp(bytes, 20);
    countTokens.mockImplementation(() => new Promise(() => {}));
    await expect(gate.admit(chat('a'.repeat(70_000)), testContext())).rejects.toMatchObject(
      tooLong(/tokens were not counted in 0\.02 s/),
    );
  });

  it('waits for other prompts that are counted', async () => {
    const { gate, countTokens } = setUp(bytes);
    const first = deferred<number>();
    countTokens.mockImplementationOnce(() => first.promise);
    const one = gate.admit(chat('a'.repeat(70_000)), testContext());
    await vi.waitFor(() => expect(countTokens).toHaveBeenCalledTimes(1));
    const controller = new AbortController();
    const other = gate.admit(chat('a'.repeat(70_000)), testContext({ signal: controller.signal }));
    controller.abort(new Error('gone'));
    await expect(other).rejects.toThrow('gone');
    expect(countTokens).toHaveBeenCalledTimes(1);
    first.resolve(1);
    await one;
  });
});

describe('an input', () => {
  it('is rejected without the engine if it is one giant word', async () => {
    const { gate, countTokens } = setUp(words);
    await expect(
      gate.admitInputs(['b', 'a'.repeat(4_000_000)], testContext()),
    ).rejects.toMatchObject(tooLong(/^An input has at least \d{5,} tokens/));
    expect(countTokens).not.toHaveBeenCalled();
  });

  it('reaches the engine without the white space that does not count', async () => {
    const { gate } = setUp(words);
    const inputs = [`one${' '.repeat(100_000)}two`, [1, 2]];
    expect(gate.areLong(inputs)).toBe(true);
    expect(await gate.admitInputs(inputs, testContext())).toEqual(['one two', [1, 2]]);
  });

  it('of an unknown tokenizer is counted in pieces', async () => {
    const { gate, countTokens } = setUp(null);
    await expect(gate.admitInputs(['a'.repeat(4_000_000)], testContext())).rejects.toMatchObject(
      tooLong(/at least \d{5} tokens/),
    );
    expect(countTokens).toHaveBeenCalledTimes(1);
  });
});
