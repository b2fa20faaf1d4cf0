import { afterEach, describe, expect, it } from 'vitest';
import { modelEntry } from '../../test/setup/models/model-entry.ts';
import { picture } from '../../test/setup/models/picture.ts';
import type { ConversationMessage, ToolContent } from '../store/turns/content.ts';
import type { TurnItem } from '../store/turns/turn-item.ts';
import type { ModelEntry } from '../library/model.ts';
import type { NewBlob, Store } from '../store/store.ts';
import { decodeToolImage, fitToolResult, toModelContent } from './tool-results.ts';
import { ImageAllowance } from './image-allowance.ts';
import {
  CallNumbers,
  roundMessages,
  toPromptMessages,
  type PromptContext,
} from './prompt-messages.ts';

/** The server counts the images of all turns, so each test releases its own. */
const allowances: ImageAllowance[] = [];
afterEach(() => {
  for (const allowance of allowances) allowance.release();
});
function allowanceOf(model: ModelEntry): ImageAllowance {
  const allowance = new ImageAllowance(model, 1_000_000);
  allowances.push(allowance);
  return allowance;
}

/** The images of tools for a model; the store is empty unless a test fills one. */
const readerOf = (model: ModelEntry, signal = new AbortController().signal, blob?: NewBlob) => {
  const store = { blobs: { find: async () => blob } } as unknown as Store;
  const options = { model, allowance: allowanceOf(model), store, signal };
  return (block: ToolContent) => decodeToolImage(block, options);
};
const vision = modelEntry({ type: 'vlm' });
const blind = readerOf(modelEntry());
const seeing = readerOf(vision);
const contextOf = (read = blind): PromptContext => ({
  readMedia: async (sha256) => `data:image/png;base64,${sha256}`,
  readToolImage: read,
  numbers: new CallNumbers(),
});
const text = (value: string) => ({ type: 'text', text: value }) as const;

describe('the content that a model reads of a result', () => {
  it.each<[string, readonly ToolContent[], string]>([
    ['nothing', [], '[no output]'],
    ['an empty text', [text('')], '[no output]'],
    ['texts', [text('a'), text('b')], 'a\nb'],
    ['a resource with a text', [{ type: 'resource', resource: { text: 'r' } }], 'r'],
    [
      'a resource without one',
      [{ type: 'resource', resource: { blob: 'AA==' } }],
      '[resource: not shown]',
    ],
    [
      'a resource with another text',
      [{ type: 'resource', resource: { text: 7 } }],
      '[resource: not shown]',
    ],
    ['no resource', [{ type: 'resource', resource: null }], '[resource: not shown]'],
    ['a name in its place', [{ type: 'resource', resource: 'text' }], '[resource: not shown]'],
    ['a link', [{ type: 'resource_link', uri: 'file:///a' }], 'file:///a'],
    ['a link to nowhere', [{ type: 'resource_link', uri: 7 }], '[resource_link: not shown]'],
    ['a number in place of a text', [{ type: 'text', text: 7 }], '[text: not shown]'],
    ['a text in another block', [{ type: 'audio', text: 'a', uri: 'b' }], '[audio: not shown]'],
    [
      'a resource in another block',
      [{ type: 'audio', resource: { text: 'a' } }],
      '[audio: not shown]',
    ],
  ])('of %s', async (_case, content, expected) => {
    expect(await toModelContent(content, blind)).toBe(expected);
  });

  it('is a list of parts only where there is an image', async () => {
    const data = (await picture('red')).split(',')[1];
    const image = { type: 'image', mimeType: 'image/png', data };
    expect(await toModelContent([text('a'), image], seeing)).toEqual([
      text('a'),
      { type: 'image', dataUrl: expect.stringMatching(/^data:image\/png;base64,/) },
    ]);
    expect(await toModelContent([image], blind)).toBe(
      '[image: not shown, as this model has no vision]',
    );
  });

  it.each([{}, { mimeType: 'image/png', data: 'AA==' }, { mimeType: 'text/plain', data: 'AA==' }])(
    'has a note in place of a damaged image (%o)',
    async (fields) => {
      expect(await toModelContent([{ type: 'image', ...fields }, text('b')], seeing)).toBe(
        '[image: not shown, as it is damaged or too large]\nb',
      );
    },
  );

  it('has the images that the store keeps of earlier results', async () => {
    const bytes = Buffer.from((await picture('red')).split(',')[1] ?? '', 'base64');
    const stored = readerOf(vision, undefined, { sha256: 'ab', mediaType: 'image/png', bytes });
    const image = { type: 'image', mimeType: 'image/png', sha256: 'ab' };
    expect(await toModelContent([image], stored)).toMatchObject([{ type: 'image' }]);
    await expect(toModelContent([image], seeing)).rejects.toThrow('The stored image ab has gone');
  });

  it('has no image for an aborted signal', async () => {
    const reason = new Error('gone');
    const gone = readerOf(modelEntry(), AbortSignal.abort(reason));
    await expect(toModelContent([text('a'), { type: 'image' }], gone)).rejects.toBe(reason);
    expect(await toModelContent([], gone)).toBe('[no output]');
  });
});

describe('the messages of a round', () => {
  const call = { name: 'search', argumentsJson: '{}', content: [text('found')] };

  it('are the calls with their ids, and the results of those that have one', async () => {
    const context = contextOf();
    const left = { id: 'id7', name: 'draw', argumentsJson: '[', content: undefined };
    expect(await roundMessages('Hm.', [call, left, call], context)).toEqual([
      {
        role: 'assistant',
        content: 'Hm.',
        toolCalls: [
          { id: 'call00001', name: 'search', argumentsJson: '{}' },
          { id: 'id7', name: 'draw', argumentsJson: '[' },
          { id: 'call00002', name: 'search', argumentsJson: '{}' },
        ],
      },
      { role: 'tool', toolCallId: 'call00001', content: 'found' },
      { role: 'tool', toolCallId: 'call00002', content: 'found' },
    ]);
    // The next round continues the numbers.
    expect((await roundMessages('', [call], context))[1]).toMatchObject({
      toolCallId: 'call00003',
    });
  });

  it.each([
    ['not found', 'Error: not found'],
    ['Error: not found', 'Error: not found'],
    ['ERROR 404', 'ERROR 404'],
    ['no error', 'Error: no error'],
    ['Errors: 2', 'Error: Errors: 2'],
  ])('mark the failure %j', async (output, shown) => {
    const failed = { ...call, content: [text(output)], isError: true };
    const [, result] = await roundMessages('', [failed], contextOf());
    expect(result).toMatchObject({ content: shown });
  });

  it('mark a failure with an image', async () => {
    const data = (await picture('red')).split(',')[1];
    const failed = {
      ...call,
      content: [{ type: 'image', mimeType: 'image/png', data }],
      isError: true,
    };
    const [, result] = await roundMessages('', [failed], contextOf(seeing));
    expect(result?.content).toEqual([text('Error:'), expect.objectContaining({ type: 'image' })]);
  });
});

describe('the prompt of a conversation', () => {
  const items: readonly TurnItem[] = [
    { type: 'reasoning', text: 'Let me think.' },
    { type: 'message', text: 'I search.' },
    {
      type: 'toolCall',
      round: 0,
      exposedName: 'web_search',
      tool: 'search',
      provider: { type: 'plugin', pluginId: 'mcp/web' },
      arguments: { query: 'x' },
      result: [text('down')],
      isError: true,
    },
    {
      type: 'invalidToolCall',
      round: 0,
      exposedName: 'fly',
      cause: 'invalidName',
      reason: 'There is no tool "fly".',
    },
    {
      type: 'invalidToolCall',
      round: 1,
      exposedName: 'web_search',
      cause: 'invalidArguments',
      reason: 'The query is empty.',
      arguments: { query: '' },
    },
    { type: 'reasoning', text: 'Again.' },
    { type: 'message', text: 'I give up.' },
    { type: 'message', text: '' },
    { type: 'clientToolCall', round: 2, id: 'id1', name: 'draw', argumentsJson: '{"a"' },
  ];

  it('repeats the rounds of earlier turns without their reasoning', async () => {
    const question: ConversationMessage = { role: 'user', content: [text('a'), text('b')] };
    const prompt = await toPromptMessages(
      'Be brief.',
      [{ messages: [question], items }],
      [],
      contextOf(),
    );
    const called = (id: string, name: string, argumentsJson: string) => ({
      id,
      name,
      argumentsJson,
    });
    expect(prompt).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'a\nb' },
      {
        role: 'assistant',
        content: 'I search.',
        toolCalls: [
          called('call00001', 'web_search', '{"query":"x"}'),
          called('call00002', 'fly', '{}'),
        ],
      },
      { role: 'tool', toolCallId: 'call00001', content: 'Error: down' },
      { role: 'tool', toolCallId: 'call00002', content: 'There is no tool "fly".' },
      {
        role: 'assistant',
        content: '',
        toolCalls: [called('call00003', 'web_search', '{"query":""}')],
      },
      { role: 'tool', toolCallId: 'call00003', content: 'The query is empty.' },
      { role: 'assistant', content: 'I give up.' },
      { role: 'assistant', content: '', toolCalls: [called('id1', 'draw', '{"a"')] },
    ]);
  });

  it('has texts as one string, images as parts, and marks failed results', async () => {
    const image = { type: 'image', sha256: 'ab', mediaType: 'image/png' } as const;
    const result = { role: 'tool', toolCallId: 'id1' } as const;
    const toolCalls = [{ id: 'id1', name: 'draw', argumentsJson: '{}' }];
    const shown = { type: 'image', dataUrl: 'data:image/png;base64,ab' };
    const prompt = await toPromptMessages(
      undefined,
      [],
      [
        { role: 'user', content: [text('a'), image] },
        { role: 'assistant', content: [text('c')], toolCalls },
        { ...result, content: [text('d')] },
        { ...result, content: [text('e')], isError: true },
        { ...result, content: [image], isError: true },
        { role: 'assistant', content: [text('f'), text('g')] },
        { role: 'system', content: [] },
      ],
      contextOf(),
    );
    expect(prompt).toEqual([
      { role: 'user', content: [text('a'), shown] },
      { role: 'assistant', content: 'c', toolCalls },
      { ...result, content: 'd' },
      { ...result, content: 'Error: e' },
      { ...result, content: [text('Error:'), shown] },
      { role: 'assistant', content: 'f\ng' },
      { role: 'system', content: '' },
    ]);
  });
});

describe('a result that is cut', () => {
  const perCharacter = async (counted: string) => counted.length;

  it('fits exactly, and takes no more tokens than there are', async () => {
    const content = [text('x'.repeat(100))];
    expect(await fitToolResult('search', content, 100, perCharacter)).toEqual({
      content,
      tokens: 100,
    });
    // Two bytes a character: too many by their size alone.
    const umlauts = [text('ü'.repeat(100))];
    expect(await fitToolResult('search', umlauts, 100, perCharacter)).toEqual({
      content: umlauts,
      tokens: 100,
    });
    expect(await fitToolResult('search', umlauts, 99, perCharacter)).toMatchObject({ tokens: 99 });
  });

  it('keeps as many characters as leave room for the note', async () => {
    const cutOf = async (maxTokens: number) => {
      const { content } = await fitToolResult(
        'search',
        [text('x'.repeat(200))],
        maxTokens,
        perCharacter,
      );
      return content.map((block) => String(block['text']).length);
    };
    const note =
      '[The result of search was cut to fit the context of the model: 100 of 200 characters are shown.]';
    expect(await cutOf(164)).toEqual([100, note.length]);
    expect(await cutOf(64)).toHaveLength(1);
    expect(await cutOf(65)).toEqual([1, note.length - 2]);
  });

  it('keeps blocks without a text, and drops texts that have no room left', async () => {
    const image = { type: 'image', data: 'AA==' };
    const link = { type: 'resource_link', uri: 'y'.repeat(50) };
    const resource = { type: 'resource', resource: { text: 'z'.repeat(50) } };
    const { content } = await fitToolResult(
      'search',
      [text('x'.repeat(50)), link, image, resource, text('w'.repeat(50))],
      64 + 75,
      perCharacter,
    );
    expect(content).toEqual([
      text('x'.repeat(50)),
      text('y'.repeat(25)),
      image,
      expect.objectContaining({ text: expect.stringContaining(': 75 of 200 characters') }),
    ]);
  });

  it('is the note alone if four attempts do not fit', async () => {
    let counts = 0;
    const { content } = await fitToolResult('search', [text('x'.repeat(10_000))], 200, async () => {
      counts += 1;
      // The whole has 1000 tokens, and no part of it fits.
      return counts === 1 ? 1000 : 137;
    });
    expect(counts).toBe(5);
    expect(content).toMatchObject([{ text: expect.stringContaining(': 0 of 10000 characters') }]);
  });
});
