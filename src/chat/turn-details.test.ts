import { describe, expect, it } from 'vitest';
import { scriptedTool } from '../../test/setup/chat/scripted-tools.ts';
import {
  generationEnd as end,
  resultOf,
  scriptedTurns,
  userMessage,
} from '../../test/setup/chat/scripted-turn.ts';
import { scriptedPool } from '../../test/setup/instances/scripted-pool.ts';
import { modelEntry } from '../../test/setup/models/model-entry.ts';
import { picture } from '../../test/setup/models/picture.ts';
import { testContext } from '../../test/setup/test-context.ts';
import { HearthError } from '../kernel/errors/errors.ts';
import type { GenerationEvent, GenerationRequest } from '../engines/engine.ts';
import { createLogger } from '../telemetry/logger.ts';
import { embed } from './embed.ts';
import { fitToolResult } from './tool-results.ts';
import { runCompletion, type CompletionEvent } from './run-completion.ts';
import type { TurnEvent } from './turn-event.ts';

const say = (text: string): GenerationEvent => ({ type: 'content.delta', text });
const think = (text: string): GenerationEvent => ({ type: 'reasoning.delta', text });
const call = (name: string, argumentsJson = '{}'): GenerationEvent => ({
  type: 'toolCall.delta',
  index: 0,
  id: 'id0',
  name,
  argumentsJson,
});
const progress: GenerationEvent = {
  type: 'prompt.progress',
  processedTokens: 1,
  cachedTokens: 0,
  totalTokens: 7,
};

/** Each generation yields the next list of events and an end. */
const generations = (...lists: readonly GenerationEvent[][]) =>
  async function* (generation: number): AsyncGenerator<GenerationEvent> {
    yield* lists[Math.min(generation, lists.length - 1)] ?? [];
    yield end;
  };
const messagesOf = (request: GenerationRequest | undefined) =>
  request?.kind === 'chat' ? request.messages : [];
const typesOf = (events: readonly TurnEvent[]) => events.map(({ type }) => type);

/** A context, and the lines that its requests log. */
function loggedContext() {
  const lines: Record<string, unknown>[] = [];
  const write = (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>);
  return { context: testContext({ logger: createLogger('info', { write }) }), lines };
}

describe('the events of a turn', () => {
  it('have the progress of the prompt', async () => {
    const { run } = await scriptedTurns(generations([progress, say('Hi')]));
    expect((await run()).slice(-6)).toEqual([
      progress,
      { type: 'prompt.end' },
      { type: 'message.start' },
      { type: 'message.delta', text: 'Hi' },
      { type: 'message.end', text: 'Hi' },
      expect.objectContaining({ type: 'turn.end' }),
    ]);
  });

  it('have the pieces of a call as the model writes them', async () => {
    const piece = { type: 'toolCall.delta', index: 0 } as const;
    const { run } = await scriptedTurns(
      generations([
        { ...piece, id: 'x', name: 'dr', argumentsJson: '' },
        { ...piece, name: 'aw', argumentsJson: '{' },
        { ...piece, argumentsJson: '}' },
      ]),
    );
    const events = await run({ clientTools: [{ name: 'draw', parameters: {} }] });
    const delta = { type: 'toolCall.delta', index: 0, isForClient: true };
    expect(events.filter(({ type }) => type === 'toolCall.delta')).toEqual([
      { ...delta, id: 'x', name: 'dr', argumentsJson: '' },
      { ...delta, name: 'aw', argumentsJson: '{' },
      { ...delta, argumentsJson: '}' },
    ]);
    expect(resultOf(events).items).toMatchObject([{ name: 'draw', argumentsJson: '{}' }]);
  });

  it('are few where the generation fails before its first token, and nothing is stored', async () => {
    const { run, store } = await scriptedTurns(async function* () {
      yield progress;
      throw new HearthError('context_length_exceeded', 'Too long.');
    });
    const events = await run();
    expect(typesOf(events)).toEqual([
      'turn.start',
      'load.start',
      'load.end',
      'prompt.start',
      'prompt.progress',
      'turn.error',
      'turn.end',
    ]);
    expect(resultOf(events)).not.toHaveProperty('responseId');
    expect((await store.responses.page({ ownerId: null, limit: 1 })).responses).toEqual([]);
  });

  it('say that the log has more about an unexpected error', async () => {
    const fault = new TypeError('x is undefined');
    const { run } = await scriptedTurns(async function* () {
      yield progress;
      throw fault;
    });
    expect((await run()).at(-2)).toMatchObject({
      type: 'turn.error',
      error: {
        code: 'internal',
        message: 'An unexpected error occurred; the log of the server has the details.',
        cause: fault,
      },
    });
  });
});

describe('storing a turn', () => {
  it('says that the turn could not be stored, and why', async () => {
    const { run, store } = await scriptedTurns(generations([say('Hi')]));
    await store.close();
    expect((await run()).at(-2)).toMatchObject({
      error: {
        code: 'storage_failed',
        message: expect.stringContaining('could not be stored. Is the disk full?'),
        cause: expect.any(Error),
      },
    });
  });

  it('says that the conversation was deleted meanwhile', async () => {
    let previous = '';
    const { run, store } = await scriptedTurns(async function* (generation) {
      if (generation === 1) await store.responses.delete(previous, null);
      yield say('Hi');
      yield end;
    });
    previous = resultOf(await run()).responseId ?? '';
    expect((await run({ previousResponseId: previous })).at(-2)).toMatchObject({
      error: { code: 'invalid_value', field: 'previousResponseId' },
    });
  });
});

describe('the prompt', () => {
  it('of a later round has no reasoning', async () => {
    const tool = scriptedTool('search', async () => 'found');
    const rounds = generations([think('Hm.'), say('I search.'), call('search')], [say('Done.')]);
    const { run, requests } = await scriptedTurns(rounds, tool);
    await run();
    expect(messagesOf(requests[1])[1]).toMatchObject({ role: 'assistant', content: 'I search.' });
  });

  it('of a new conversation keeps the order of its messages', async () => {
    const { run, requests } = await scriptedTurns(generations([say('Hi')]));
    const result = {
      role: 'tool',
      toolCallId: 'x',
      content: [{ type: 'text', text: 'r' }],
    } as const;
    await run({ messages: [...userMessage('a'), result] });
    expect(messagesOf(requests[0]).map(({ role }) => role)).toEqual(['user', 'tool']);
  });

  it('has each image of the request', async () => {
    const { run, requests } = await scriptedTurns(generations([say('Hi')]));
    const images = await Promise.all(['red', 'blue'].map((color) => picture(color)));
    const content = images.map((url) => ({ type: 'image', url }) as const);
    await run({ model: 'test/vision', messages: [{ role: 'user', content }] });
    const [message] = messagesOf(requests[0]);
    const shown = Array.isArray(message?.content) ? (message.content as readonly unknown[]) : [];
    expect(shown).toHaveLength(2);
    expect(shown[0]).not.toEqual(shown[1]);
  });
});

describe('the room for results', () => {
  // The context has 2048 tokens: 12 are used, a fourth is kept for the answer, and the markup of the tool's result takes 32.
  const roomFor = async (length: number, changes = {}) => {
    const tool = scriptedTool('read', async () => 'x'.repeat(length));
    const rounds = generations([call('read')], [say('Done.')]);
    const { run, requests } = await scriptedTurns(rounds, tool);
    await run(changes);
    const { content } = messagesOf(requests[1]).at(-1) ?? {};
    return JSON.stringify(content).includes('was cut to fit') ? 'cut' : 'whole';
  };

  it('is the context less what is used, a fourth of it for the answer, and the markup', async () => {
    expect(await roomFor(2048 - 12 - 512 - 32)).toBe('whole');
    expect(await roomFor(2048 - 12 - 512 - 32 + 1)).toBe('cut');
  });

  it('is larger if the answer is limited to less', async () => {
    // Five of the tokens are generated already.
    expect(await roomFor(2048 - 12 - 95 - 32, { maxOutputTokens: 100 })).toBe('whole');
    expect(await roomFor(2048 - 12 - 95 - 32 + 1, { maxOutputTokens: 100 })).toBe('cut');
  });

  it('is reduced by the same factor as a part was too large', async () => {
    const counted: number[] = [];
    const counts = [1000, 200, 100];
    const content = [{ type: 'text', text: 'x'.repeat(10_000) }];
    const cut = await fitToolResult('read', content, 164, async (text) => {
      counted.push(text.length);
      return counts[counted.length - 1] ?? 0;
    });
    expect(counted).toEqual([10_000, 1000, 450]);
    expect(String(cut.content[0]?.['text'])).toHaveLength(450);
  });
});

describe('completions and embeddings', () => {
  const setUp = (events: readonly GenerationEvent[]) => {
    const { pool, launcher } = scriptedPool(
      modelEntry(),
      modelEntry({ key: 'test/embed', type: 'embeddings' }),
    );
    launcher.onGenerate = async function* () {
      for (const event of events) yield event;
    };
    return pool;
  };
  const request = { model: 'test/model', prompt: 'Once', sampling: {}, waitsForLoad: false };

  it('are logged with their tokens', async () => {
    const pool = setUp([say(' upon'), end]);
    const { context, lines } = loggedContext();
    for await (const event of runCompletion({ pool }, request, context)) void event;
    await embed(
      { pool, minDimensions: () => undefined },
      { model: 'test/embed', inputs: ['a', 'b'] },
      context,
    );
    expect(lines).toMatchObject([
      {
        msg: 'generated',
        operation: 'completion',
        model: 'test/model',
        promptTokens: 7,
        completionTokens: 5,
        tokensPerSecond: 2500,
      },
      { msg: 'generated', operation: 'embedding', model: 'test/embed', promptTokens: 2 },
    ]);
    expect(lines[1]).not.toHaveProperty('completionTokens');
    expect(lines[1]).not.toHaveProperty('tokensPerSecond');
  });

  it('end with their error if they are cut', async () => {
    const failure = new HearthError('context_length_exceeded', 'Too long.');
    const { pool, launcher } = scriptedPool(modelEntry());
    launcher.onGenerate = async function* () {
      yield say(' upon');
      yield { type: 'generation.cut', usage: end.usage, reasoningTokens: 0 };
      throw failure;
    };
    const seen: CompletionEvent['type'][] = [];
    const reading = (async () => {
      for await (const { type } of runCompletion({ pool }, request, testContext())) seen.push(type);
    })();
    await expect(reading).rejects.toBe(failure);
    expect(seen.at(-1)).toBe('text.delta');
  });

  it('name the field of a suffix that the model cannot use', async () => {
    const pool = setUp([end]);
    const failing = runCompletion({ pool }, { ...request, suffix: 'end' }, testContext()).next();
    const error: unknown = await failing.catch((thrown: unknown) => thrown);
    expect((error as HearthError).describe((name) => `<${name}>`)).toBe(
      'test/model was not trained to fill in the middle; leave "<suffix>" out.',
    );
  });
});
