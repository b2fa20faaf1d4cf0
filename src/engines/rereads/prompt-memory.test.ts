import { beforeEach, describe, expect, it } from 'vitest';
import { testContext } from '../../../test/setup/test-context.ts';
import type { Reread } from '../../kernel/request/request-record.ts';
import type { ChatGeneration, Engine, EngineMessage, GenerationRequest } from '../engine.ts';
import { PromptMemory } from './prompt-memory.ts';

const engine = {} as Engine;
const rules = 'Answer in one sentence, and name the source of each claim. '.repeat(40);
const question = 'Which harbours of Brittany have a lighthouse that is open to visitors? '.repeat(
  20,
);
const answer = 'Several of them: Eckmühl, Île Vierge and the Petit Minou. '.repeat(10);

const system = (content: string): EngineMessage => ({ role: 'system', content });
const user = (content: string): EngineMessage => ({ role: 'user', content });
const assistant = (content: string): EngineMessage => ({ role: 'assistant', content });
const chat = (...messages: EngineMessage[]): ChatGeneration => ({
  kind: 'chat',
  messages,
  sampling: {},
});
const tool = (
  name: string,
  description = 'Tells the tide of a harbour, in metres. '.repeat(20),
) => ({
  name,
  description,
  parameters: {},
});

const lines: { readonly level: string; readonly message: string }[] = [];
const logger = {
  ...testContext().logger,
  info: (_: unknown, message: string) => lines.push({ level: 'info', message }),
  warn: (_: unknown, message: string) => lines.push({ level: 'warn', message }),
} as never;

interface Sent {
  readonly request: GenerationRequest;
  readonly cached?: number;
  readonly ownEngine?: Engine;
  readonly tokenId?: string;
}

let memory: PromptMemory;

beforeEach(() => {
  lines.length = 0;
  memory = new PromptMemory();
});

/** Notes a generation whose tokens have four characters. */
function send({
  request,
  cached = 0,
  ownEngine = engine,
  tokenId = 'a',
}: Sent): Reread | undefined {
  const promptTokens = Math.ceil(JSON.stringify(request).length / 4);
  const usage = {
    promptTokens,
    cachedTokens: Math.min(cached, promptTokens),
    completionTokens: 1,
    promptMs: 1,
    generationMs: 1,
  };
  const context = { ...testContext({ caller: { tokenId, clientKey: tokenId } }), logger };
  return memory.note({ engine: ownEngine, request, usage, answer }, context);
}

describe('a prompt', () => {
  const first = chat(system(rules), user(question));
  const next = [
    system(rules),
    user(question),
    assistant(answer),
    user('And of Normandy?'),
  ] as const;

  it('that is the first one needs no words', () => {
    expect(send({ request: first })).toBeUndefined();
  });

  it('with another question needs no words', () => {
    send({ request: first, cached: 100 });
    const request = chat(system(rules), user('Who was Fresnel? '.repeat(80)));
    expect(send({ request, cached: 600 })).toBeUndefined();
  });

  it.each([
    [
      'a date in the system prompt',
      20,
      chat(system(`It is 2026-11-26. ${rules}`), user(question)),
      /^The system prompt changed within characters 1 to 64 of [\d,]+: it has a date there, so about [\d,]+ tokens after it/,
    ],
    [
      'an edited answer',
      950,
      chat(system(rules), user(question), assistant(`Well. ${answer}`), user('Why?')),
      /^Message 3 is not the answer that the model gave: it differs within characters 1 to \d+ of/,
    ],
  ])('with %s', (_, cached, request, message) => {
    send({ request: first, cached: 100 });
    expect(send({ request, cached })?.message).toMatch(message);
  });

  it('that continues an earlier one from the cache needs no words', () => {
    send({ request: first });
    expect(send({ request: chat(...next), cached: 10_000 })).toBeUndefined();
  });

  it.each([
    [engine, 'cache_displaced'],
    [{} as Engine, 'instance_changed'],
  ] as const)('that was in the cache of an engine', (ownEngine, cause) => {
    send({ request: first, cached: 100 });
    const reread = send({ request: chat(...next), cached: 20, ownEngine });
    expect(reread).toMatchObject({ cause });
    expect(reread?.tokens).toBeGreaterThan(800);
  });

  it('is not said to be displaced if the server never reports its cache', () => {
    send({ request: first });
    expect(send({ request: chat(...next) })).toBeUndefined();
  });

  it('of another owner is not compared', () => {
    send({ request: first, cached: 100 });
    const request = chat(system(`12:30 ${rules}`), user(question));
    expect(send({ request, tokenId: 'b' })).toBeUndefined();
  });

  it('without its oldest messages', () => {
    send({ request: chat(...next), cached: 100 });
    const [, , , last] = next;
    const request = chat(system(rules), assistant(answer), last);
    expect(send({ request, cached: 600 })).toMatchObject({
      cause: 'messages_dropped',
      message: expect.stringMatching(/^1 earlier message was left out before message 2/) as unknown,
    });
  });
});

it.each([
  [['b', 'a'], 'their order'],
  [['a', 'b', 'c'], 'added: c'],
  [['a'], 'removed: b'],
])('names the change of tools to %j', (names, change) => {
  const messages = [system(rules), user(question)];
  const withTools = (list: readonly string[]) => ({
    ...chat(...messages),
    tools: list.map((name) => tool(name)),
  });
  send({ request: withTools(['a', 'b']), cached: 100 });
  expect(send({ request: withTools(names) })?.message).toContain(`The tools changed (${change})`);
});

it('explains raw prompts', () => {
  const completion = (prompt: string): GenerationRequest => ({
    kind: 'completion',
    prompt,
    sampling: {},
  });
  send({ request: completion(`Log of 10:30\n${rules}`), cached: 100 });
  const reread = send({ request: completion(`Log of 10:31\n${rules}`) });
  expect(reread).toMatchObject({ cause: 'prompt_changed' });
  expect(reread?.message).toContain('it has a time there');
});

it('tells images apart', () => {
  const withImage = (data: string) => {
    const dataUrl = `data:image/png;base64,${data}`;
    const content = [
      { type: 'text', text: question },
      { type: 'image', dataUrl },
    ] as const;
    return chat(system(rules), { role: 'user', content }, assistant(answer.repeat(3)));
  };
  send({ request: withImage('AAAA'), cached: 100 });
  expect(send({ request: withImage('AAAA'), cached: 10_000 })).toBeUndefined();
  const message = send({ request: withImage('AAAB'), cached: 900 })?.message;
  expect(message).toMatch(/^Message 2 \(user\) changed within characters 2,\d+ to 2,\d+ of 2,\d+/);
  expect(message).not.toContain('an id');
});

it('warns once of a client that changes its beginning each time', () => {
  for (const minute of [10, 11, 12, 13, 14]) {
    send({ request: chat(system(`It is 12:${minute}. ${rules}`), user(question)), cached: 5 });
  }
  expect(lines.map(({ level }) => level)).toEqual(['info', 'info', 'info', 'warn', 'info']);
  expect(lines[3]?.message).toMatch(
    /^A client changes the beginning of its prompts each time\. The/,
  );
});

it('keeps no text of prompts', () => {
  send({ request: chat(system(rules), user('a secret of mine '.repeat(100))), cached: 100 });
  send({ request: chat(system(`12:30 ${rules}`), user('a secret of mine '.repeat(100))) });
  expect(JSON.stringify([memory, lines])).not.toContain('secret');
});
