import { describe, expect, it } from 'vitest';
import { testContext } from '../../test/setup/test-context.ts';
import { generationEnd } from '../../test/setup/chat/scripted-turn.ts';
import { collect } from '../../test/setup/collect.ts';
import { scriptedPool } from '../../test/setup/instances/scripted-pool.ts';
import { modelEntry } from '../../test/setup/models/model-entry.ts';
import type { Engine, GenerationEvent, GenerationRequest } from './engine.ts';
import { createLogger } from '../telemetry/logger.ts';
import { RequestRecord } from '../kernel/request/request-record.ts';

const completion = { kind: 'completion', prompt: 'Once', sampling: {} } as const;
const chat: GenerationRequest = {
  kind: 'chat',
  messages: [{ role: 'user', content: 'Hello' }],
  sampling: {},
};

/** The lines that a generation writes to the log. */
async function linesOf(
  request: GenerationRequest,
  events: readonly GenerationEvent[] = [generationEnd],
  { keepsPrompts = true, render }: { keepsPrompts?: boolean; render?: Engine['renderPrompt'] } = {},
) {
  const { pool, launcher } = scriptedPool(modelEntry());
  launcher.onGenerate = async function* () {
    yield* events;
  };
  const lines: string[] = [];
  const record = new RequestRecord({
    requestId: 'r',
    method: 'POST',
    path: '/',
    events: { publish: () => {} },
    keepsPrompts,
  });
  const logger = createLogger('debug', { write: (line) => lines.push(line) });
  const context = testContext({ record, logger });
  const target = await pool.resolve('test/model', 'generation');
  const session = pool.open({ target }, context);
  await collect(session.ready());
  const [process] = launcher.processes;
  if (process !== undefined && render !== undefined) process.engine.renderPrompt = render;
  lines.length = 0;
  await collect(session.generate(request));
  session.close();
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('the prompt in the log', () => {
  it.each([
    ['a text', completion, 'Once'],
    ['a text and what follows', { ...completion, suffix: ' end' }, 'Once\n[suffix]\n end'],
    ['tokens', { ...completion, prompt: [1, 2] }, '[1,2]'],
    ['messages that the engine does not render', chat, '[{"role":"user","content":"Hello"}]'],
  ] as const)('is %s', async (_, request, prompt) => {
    expect(await linesOf(request)).toMatchObject([
      { msg: 'prompt', model: 'test/model', prompt, output: '', stopReason: 'eosFound' },
    ]);
  });

  it('is what the engine reads, or the messages if it refuses them', async () => {
    const rendered = await linesOf(chat, undefined, { render: async () => '<user>Hello' });
    expect(rendered).toMatchObject([{ prompt: '<user>Hello' }]);
    const render = () => Promise.reject(new Error('a template without tools'));
    expect(await linesOf(chat, undefined, { render })).toMatchObject([
      { prompt: '[{"role":"user","content":"Hello"}]' },
    ]);
  });

  it('is not there unless the server keeps prompts', async () => {
    expect(await linesOf(chat, undefined, { keepsPrompts: false })).toEqual([]);
  });
});

describe('the output in the log', () => {
  it('has the text, the reasoning and the calls', async () => {
    const [line] = await linesOf(chat, [
      { type: 'reasoning.delta', text: 'Hm. ' },
      { type: 'content.delta', text: 'Hi' },
      { type: 'toolCall.delta', index: 0, name: 'look', argumentsJson: '{"a"' },
      { type: 'toolCall.delta', index: 0, argumentsJson: ':1}' },
      generationEnd,
    ]);
    expect(line).toMatchObject({ output: 'Hm. Hi', toolCalls: 'look {"a":1}' });
    expect(line).not.toHaveProperty('isTruncated');
  });

  it('says that it was cut, and mentions no calls where there are none', async () => {
    const text = 'a'.repeat(256 * 1024 + 1);
    const [line] = await linesOf(chat, [{ type: 'content.delta', text }, generationEnd]);
    expect(line).toMatchObject({ output: text.slice(1), isTruncated: true });
    expect(line).not.toHaveProperty('toolCalls');
  });
});
