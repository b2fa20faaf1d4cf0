import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ChatGeneration, Engine, GenerationRequest } from '../../src/engines/engine.ts';
import type { Logger } from '../../src/kernel/logger.ts';
import type { Speculation } from '../../src/engines/launch/launch.ts';
import { SpeculationChooser } from '../../src/engines/loads/speculation/speculation-chooser.ts';
import { testContext } from '../setup/test-context.ts';
import {
  createTestEngines,
  generateAll,
  starterPath,
  type TestEngines,
} from '../setup/engine/test-engines.ts';

const sampling = { temperature: 0 };
const numbers = 'one two three four five six seven eight nine ten eleven twelve thirteen. ';
const prompt = numbers.repeat(6);
const getTide = {
  name: 'get_tide',
  description: 'Tide of a harbour',
  parameters: {
    type: 'object',
    properties: { harbour: { type: 'string' } },
    required: ['harbour'],
    additionalProperties: false,
  },
};
const schema = {
  type: 'object',
  properties: { numbers: { type: 'array', items: { type: 'string' }, maxItems: 20 } },
  required: ['numbers'],
  additionalProperties: false,
};

function ask(text: string, more: Partial<ChatGeneration> = {}): ChatGeneration {
  const messages = [{ role: 'user', content: text }] as const;
  return { kind: 'chat', messages, sampling, reasoning: 'off', maxTokens: 96, ...more };
}

const requests: readonly (readonly [name: string, request: GenerationRequest])[] = [
  ['a text that repeats itself', { kind: 'completion', prompt, sampling, maxTokens: 64 }],
  [
    'a text with a stop string',
    { kind: 'completion', prompt, sampling, maxTokens: 64, stop: ['four'] },
  ],
  ['a sampled text', { kind: 'completion', prompt, sampling: { seed: 7 }, maxTokens: 64 }],
  ['a chat', ask('Tell me a story')],
  ['a chat with a stop string', ask('Tell me a story', { stop: ['the'] })],
  ['a chat with reasoning', ask('What is the capital of France?', { reasoning: 'on' })],
  [
    'a structured answer',
    ask(`${prompt} Answer as JSON.`, { responseFormat: { type: 'json_schema', schema } }),
  ],
  ['a forced call', ask('Get the tide of Brest.', { tools: [getTide], toolChoice: 'required' })],
];

let engines: TestEngines;
let plain: Engine;

beforeAll(async () => {
  engines = await createTestEngines();
  ({ engine: plain } = await engines.launch('chat'));
});
afterAll(() => engines.close());

describe.each([
  ['from what repeats', { kind: 'ngram' }],
  ['with a model', { kind: 'draft', modelPath: starterPath('chat') }],
] as const)('speculation %s', (_name, speculation) => {
  let engine: Engine;
  beforeAll(async () => {
    ({ engine } = await engines.launch('chat', { speculation }));
  });

  it.each(requests)('does not change %s', async (_title, request) => {
    const expected = await generateAll(plain, request);
    const actual = await generateAll(engine, request);
    const { content, reasoning, end } = expected;
    expect(actual).toMatchObject({
      content,
      reasoning,
      end: { ...end, usage: { completionTokens: end.usage.completionTokens } },
    });
    expect(callsOf(actual)).toEqual(callsOf(expected));
  });

  it('counts the tokens that it drafted', async () => {
    const request = { kind: 'completion', prompt, sampling, maxTokens: 64 } as const;
    const { drafts } = (await generateAll(engine, request)).end.usage;
    expect(drafts?.acceptedTokens).toBeGreaterThan(0);
    expect(drafts?.proposedTokens).toBeGreaterThanOrEqual(drafts?.acceptedTokens ?? 0);
  });

  it('refuses log probabilities, which the engine does not report', async () => {
    await expect(generateAll(engine, ask('Hello', { topLogprobs: 2 }))).rejects.toMatchObject({
      code: 'invalid_value',
      field: 'topLogprobs',
    });
  });
});

it('is measured by a load that leaves the choice to Hearth', async () => {
  const lines: string[] = [];
  const logger = {
    ...testContext().logger,
    info: (fields: unknown, message?: string) =>
      void lines.push(`${message} ${JSON.stringify(fields)}`),
  } as unknown as Logger;
  const chooser = new SpeculationChooser(logger);
  const { signal } = new AbortController();
  const launches: unknown[] = [];
  const launch = (speculation: Speculation | undefined) => {
    launches.push(speculation?.kind);
    return engines.launch('chat', { ...(speculation && { speculation }) });
  };
  const start = () => chooser.start({ key: 'k', model: 'm', predictor: undefined, launch, signal });
  const first = await start();
  expect(launches[0]).toBe('ngram');
  expect(lines.join()).toMatch(/speculation measured .*"plainMs":.*"breakEven":/);
  const request = { kind: 'completion', prompt, sampling, maxTokens: 64 } as const;
  const expected = await generateAll(plain, request);
  expect((await generateAll(first.engine, request)).content).toBe(expected.content);
  const chosen = launches.at(-1);
  await start();
  expect(launches.at(-1)).toBe(chosen);
});

it('leaves images readable', async () => {
  const { engine } = await engines.launch('vision', { speculation: { kind: 'ngram' } });
  const shape =
    '<svg width="56" height="56"><rect width="56" height="56" fill="white"/><circle cx="28" cy="28" r="20" fill="red"/></svg>';
  const png = await sharp(Buffer.from(shape)).png().toBuffer();
  const dataUrl = `data:image/png;base64,${png.toString('base64')}`;
  const request = ask('', {
    messages: [
      {
        role: 'user',
        content: [
          { type: 'image', dataUrl },
          { type: 'text', text: `${prompt} What colour is the picture?` },
        ],
      },
    ],
  });
  for (let round = 0; round < 2; round += 1) {
    const { content } = await generateAll(engine, request);
    expect(content.toLowerCase()).toContain('red');
  }
});

function callsOf({ events }: Awaited<ReturnType<typeof generateAll>>): string {
  return events
    .map((event) => (event.type === 'toolCall.delta' ? event.argumentsJson : ''))
    .join('');
}
