import { describe, expect, it, vi } from 'vitest';
import { deferred } from '../../../test/setup/deferred.ts';
import { testContext } from '../../../test/setup/test-context.ts';
import type {
  ChatGeneration,
  ContentPart,
  Engine,
  EngineMessage,
  GenerationRequest,
  Prompt,
  ToolDefinition,
} from '../engine.ts';
import type { TokenizerFacts } from '../../library/tokenizer-facts.ts';
import { PromptGate } from './prompt-gate.ts';

const bytes: TokenizerFacts = { keeps: 'bytes', longestTokenBytes: 10 };
const words: TokenizerFacts = { keeps: 'words', longestTokenBytes: 10 };
const contextLength = 10_000;

/** A gate for an engine whose tokens have four characters. The chat template writes the contents and the tools. */
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
  it('is rejected without the engine if it cannot fit', async () => {
    const { gate, countTokens, renderPrompt } = setUp(bytes);
    await expect(gate.admit(chat('a'.repeat(200_000)), testContext())).rejects.toMatchObject(
      tooLong(/^The prompt has at least 20000 tokens; the context of the model holds 10000\.$/),
    );
    expect([countTokens.mock.calls, renderPrompt.mock.calls]).toEqual([[], []]);
  });

  it.each([bytes, null])('is rejected without the engine for its many messages', async (facts) => {
    const { gate, countTokens, renderPrompt } = setUp(facts);
    const messages = Array.from(
      { length: 10_001 },
      () => ({ role: 'user', content: 'a' }) as const,
    );
    const request: ChatGeneration = { kind: 'chat', messages, sampling: {} };
    expect(gate.isLong(request)).toBe(true);
    expect(gate.isLong({ ...request, messages: messages.slice(1) })).toBe(false);
    await expect(gate.admit(request, testContext())).rejects.toMatchObject(
      tooLong(/^The prompt has at least 10001 tokens; the context of the model holds 10000\.$/),
    );
    const sixteen = Array.from({ length: 16 }, () => messages).flat();
    await expect(gate.admitCount({ ...request, messages: sixteen })).rejects.toMatchObject(
      tooLong(/160016 tokens/),
    );
    expect([countTokens.mock.calls, renderPrompt.mock.calls]).toEqual([[], []]);
  });

  it('is rejected without the engine if its tools cannot fit', async () => {
    const { gate, renderPrompt } = setUp(bytes);
    const tools = [{ name: 'a', description: 'x'.repeat(1_100_000), parameters: {} }];
    const request = chat('Hello!', tools);
    expect(gate.isLong(request)).toBe(true);
    await expect(gate.admit(request, testContext())).rejects.toMatchObject(tooLong(/1100\d\d/));
    expect(renderPrompt).not.toHaveBeenCalled();
  });

  it('may have any amount of reasoning in earlier answers, which templates drop', async () => {
    const { gate, renderPrompt } = setUp(bytes);
    renderPrompt.mockResolvedValue('short');
    const reasoning = 'a'.repeat(200_000);
    const messages: EngineMessage[] = [
      { role: 'assistant', content: `<think>${reasoning}</think>Hi` },
      { role: 'user', content: 'Hello' },
    ];
    await gate.admit({ kind: 'chat', messages, sampling: {} }, testContext());
    messages[0] = { role: 'assistant', content: `Hi${reasoning}` };
    await expect(
      gate.admit({ kind: 'chat', messages, sampling: {} }, testContext()),
    ).rejects.toMatchObject(tooLong(/at least 20001 tokens/));
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

  it('is counted unless it has fewer bytes than the context has tokens', async () => {
    const { gate, countTokens } = setUp(bytes);
    countTokens.mockResolvedValue(contextLength + 1);
    await gate.admitInputs(['漢'.repeat(3333)], testContext());
    expect(countTokens).not.toHaveBeenCalled();
    await expect(gate.admitInputs(['漢'.repeat(3334)], testContext())).rejects.toMatchObject(
      tooLong(/^An input has/),
    );
  });

  it('of an unknown tokenizer is counted in pieces', async () => {
    const { gate, countTokens } = setUp(null);
    await expect(gate.admitInputs(['a'.repeat(4_000_000)], testContext())).rejects.toMatchObject(
      tooLong(/at least \d{5} tokens/),
    );
    expect(countTokens).toHaveBeenCalledTimes(1);
  });
});

const image: ContentPart = { type: 'image', dataUrl: 'data:image/png;base64,AAAA' };
const withMessages = (...messages: readonly EngineMessage[]): ChatGeneration => ({
  kind: 'chat',
  messages,
  sampling: {},
});
const completion = (prompt: Prompt, suffix?: string): GenerationRequest => ({
  kind: 'completion',
  prompt,
  ...(suffix === undefined ? {} : { suffix }),
  sampling: {},
});

describe('the length that makes a prompt long', () => {
  const { gate } = setUp(bytes);

  it('is 64 Ki characters of text', () => {
    expect(gate.isLong(chat('a'.repeat(65_535)))).toBe(false);
    expect(gate.isLong(chat('a'.repeat(65_536)))).toBe(true);
    expect(gate.areLong(['a'.repeat(65_535)])).toBe(false);
    expect(gate.areLong(['a'.repeat(65_535), [7]])).toBe(true);
  });

  it('counts the texts of all parts, but no images', () => {
    const parts = (length: number) => [
      { type: 'text' as const, text: 'a'.repeat(length) },
      image,
      { type: 'text' as const, text: 'b'.repeat(65_536 - 100) },
    ];
    expect(gate.isLong(withMessages({ role: 'user', content: parts(99) }))).toBe(false);
    expect(gate.isLong(withMessages({ role: 'user', content: parts(100) }))).toBe(true);
  });

  it('includes the suffix of a completion', () => {
    expect(gate.isLong(completion('a'.repeat(65_000), 'b'.repeat(535)))).toBe(false);
    expect(gate.isLong(completion('a'.repeat(65_000), 'b'.repeat(536)))).toBe(true);
  });
});

describe('a chat with parts', () => {
  it('is counted by its texts, without its images', async () => {
    const { gate, renderPrompt } = setUp(bytes);
    const content = [
      { type: 'text' as const, text: 'one' },
      image,
      { type: 'text' as const, text: 'two' },
    ];
    const answer = { role: 'assistant', content: 'Yes.', toolCalls: [] } as const;
    await gate.admit(withMessages({ role: 'user', content }, answer), testContext());
    expect(renderPrompt.mock.calls[0]?.[0].messages).toEqual([
      { role: 'user', content: 'one\ntwo' },
      answer,
    ]);
  });

  it('is rejected without the engine if its texts cannot fit', async () => {
    const { gate, renderPrompt } = setUp(bytes);
    const content = [image, { type: 'text' as const, text: 'a'.repeat(200_000) }];
    await expect(
      gate.admit(withMessages({ role: 'user', content }), testContext()),
    ).rejects.toMatchObject({
      ...tooLong(/at least 20000 tokens/),
      promptSize: { tokens: 20_000, isLowerBound: true, maxTokens: contextLength },
    });
    expect(renderPrompt).not.toHaveBeenCalled();
  });
});

describe('what a chat template may leave out', () => {
  it('is the reasoning of earlier answers, but not the answers', async () => {
    const { gate, renderPrompt } = setUp(bytes);
    renderPrompt.mockResolvedValue('short');
    const long = 'a'.repeat(200_000);
    const answer = (content: string) => withMessages({ role: 'assistant', content });
    await gate.admit(answer(`<think>${long}</think>Yes.`), testContext());
    expect(renderPrompt).toHaveBeenCalledTimes(1);
    for (const content of [long, `<think>Hm.</think>${long}`]) {
      await expect(gate.admit(answer(content), testContext())).rejects.toMatchObject(
        tooLong(/at least 20\d{3} tokens/),
      );
    }
    expect(renderPrompt).toHaveBeenCalledTimes(1);
  });

  it('is one MiB of tools', async () => {
    const { gate, renderPrompt } = setUp(bytes);
    renderPrompt.mockResolvedValue('short');
    const tool = (description: string) => [{ name: 'a', description, parameters: {} }];
    const rest = 1024 * 1024 - JSON.stringify(tool('')).length;
    await gate.admit(chat('Hello!', tool('x'.repeat(rest))), testContext());
    await expect(
      gate.admit(chat('Hello!', tool('x'.repeat(rest + 1))), testContext()),
    ).rejects.toMatchObject(tooLong(/at least/));
  });
});

it('counts what the template writes instead of the messages', async () => {
  const { gate, countTokens, renderPrompt } = setUp(bytes);
  countTokens.mockImplementation(async (text) => Math.ceil(text.length / 8));
  renderPrompt.mockResolvedValue('word '.repeat(19_000));
  await expect(gate.admit(chat('word '.repeat(14_000)), testContext())).rejects.toMatchObject(
    tooLong(/at least \d{5} tokens/),
  );
});

it('counts the messages if nothing is known of the tokenizer', async () => {
  const { gate, countTokens, renderPrompt } = setUp(null);
  await gate.admit(chat('a'.repeat(20_000)), testContext());
  expect(renderPrompt).not.toHaveBeenCalled();
  expect(countTokens.mock.calls.map(([text]) => text)).toEqual(['a'.repeat(20_000)]);
});

describe('a completion', () => {
  it('is counted without a template, with its suffix', async () => {
    const { gate, countTokens, renderPrompt } = setUp(bytes);
    await gate.admit(completion('a'.repeat(12_000)), testContext());
    await gate.admit(completion('a'.repeat(12_000), 'b'.repeat(12_000)), testContext());
    expect(countTokens.mock.calls.map(([text]) => [text[0], text.length])).toEqual([
      ['a', 12_000],
      ['a', 12_000],
      ['b', 12_000],
    ]);
    expect(renderPrompt).not.toHaveBeenCalled();
  });

  it('of tokens has as many as it says', async () => {
    const { gate, countTokens } = setUp(bytes);
    const tokens = (length: number) => Array.from({ length }, () => 7);
    await gate.admit(completion(tokens(10_000)), testContext());
    expect(countTokens).not.toHaveBeenCalled();
    await expect(gate.admit(completion(tokens(10_001)), testContext())).rejects.toMatchObject(
      tooLong(/at least 10001 tokens/),
    );
    await expect(
      gate.admit(completion(tokens(9_990), 'b'.repeat(100)), testContext()),
    ).rejects.toMatchObject(tooLong(/at least 10015 tokens/));
  });

  it('may fill the context', async () => {
    const { gate, countTokens } = setUp(bytes);
    // A text never has more tokens than bytes.
    await gate.admit(completion('a'.repeat(10_000)), testContext());
    expect(countTokens).not.toHaveBeenCalled();
    await gate.admit(completion('a'.repeat(40_000)), testContext());
    await expect(gate.admit(completion('a'.repeat(40_004)), testContext())).rejects.toMatchObject(
      tooLong(/at least 10001 tokens/),
    );
  });
});

describe('the pieces of a long text', () => {
  const pieces = async (text: string) => {
    const { gate, countTokens } = setUp(bytes);
    countTokens.mockResolvedValue(1);
    await gate.admit(completion(text), testContext());
    return countTokens.mock.calls.map(([piece]) => piece);
  };

  it('end before a word', async () => {
    const text = 'abcdefgh '.repeat(8_000);
    const [first = '', second = '', ...others] = await pieces(text);
    expect(first + second).toBe(text);
    expect(others).toEqual([]);
    expect(first.length).toBe(9 * 7281 - 1);
    expect(second.startsWith(' abc')).toBe(true);
  });

  it('end within a giant word', async () => {
    const text = `${'a'.repeat(65_536 - 1024)} ${'b'.repeat(2000)}`;
    expect((await pieces(text)).map(({ length }) => length)).toEqual([65_536, 977]);
  });

  it('may have a few tokens more than the whole', async () => {
    const { gate, countTokens } = setUp(bytes);
    countTokens.mockResolvedValue(5016);
    await gate.admit(completion('a'.repeat(70_000)), testContext());
    countTokens.mockResolvedValue(5017);
    await expect(gate.admit(completion('a'.repeat(70_000)), testContext())).rejects.toMatchObject(
      tooLong(/at least 10002 tokens/),
    );
  });
});

it('counts prompts of up to sixteen contexts for clients that shorten them', async () => {
  const { gate } = setUp(bytes);
  await gate.admitCount(chat('a'.repeat(1_600_000)));
  await expect(gate.admitCount(chat('a'.repeat(1_600_010)))).rejects.toMatchObject(
    tooLong(/^The prompt has at least 160001 tokens/),
  );
});

it('keeps white space that counts', async () => {
  const { gate } = setUp(bytes);
  const text = `one${' '.repeat(100)}two`;
  expect(await gate.admitInputs([text], testContext())).toEqual([text]);
});
