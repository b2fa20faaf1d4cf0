import { describe, expect, it } from 'vitest';
import { testContext } from '../../test/setup/test-context.ts';
import type { Engine, GenerationUsage } from './engine.ts';
import { GenerationAccount } from './generation-account.ts';

const request = { kind: 'completion', prompt: 'Once', sampling: {} } as const;
const engine = {} as Engine;

function usage(promptTokens: number, completionTokens: number): GenerationUsage {
  const drafts = { proposedTokens: completionTokens, acceptedTokens: 1 };
  return { promptTokens, cachedTokens: 4, completionTokens, promptMs: 5, generationMs: 7, drafts };
}

describe('GenerationAccount', () => {
  it('adds the parts of an answer that was paused, without the tokens that no client got', async () => {
    const account = new GenerationAccount(request, 0);
    const context = testContext();
    await account.begin(engine, context);
    account.note({ type: 'content.delta', text: 'Hello', tokens: 3 });
    account.pause({ type: 'generation.cut', usage: usage(10, 5), reasoningTokens: 0 });
    await account.begin(engine, context);
    account.note({ type: 'content.delta', text: ' you', tokens: 2 });
    const report = await account.end(
      { type: 'generation.end', stopReason: 'eosFound', usage: usage(13, 2), isMalformed: false },
      engine,
      context,
    );
    expect(report.usage).toMatchObject({ promptTokens: 10, cachedTokens: 4, completionTokens: 5 });
    expect(report.usage.drafts).toEqual({ proposedTokens: 7, acceptedTokens: 2 });
    expect(report.usage.promptMs).toBe(5);
    expect(report.usage.generationMs).toBeGreaterThanOrEqual(12);
    expect(context.record.generations).toHaveLength(1);
  });

  it('counts the tokens that a client got before it disconnected', async () => {
    const account = new GenerationAccount(request, 0);
    const context = testContext();
    await account.begin(engine, context);
    account.note({ type: 'prompt.progress', processedTokens: 9, cachedTokens: 4, totalTokens: 10 });
    account.note({ type: 'content.delta', text: 'Hello', tokens: 3 });
    expect(context.record.generations[0]?.tokenCount).toBe(3);
    account.close(context);
    expect(context.record.generations[0]?.tokens).toMatchObject({ prompt: 10, completion: 3 });
  });

  it('counts the tokens of a paused answer whose client disconnects', async () => {
    const account = new GenerationAccount(request, 0);
    const context = testContext();
    await account.begin(engine, context);
    account.note({ type: 'content.delta', text: 'Hello', tokens: 3 });
    account.pause({ type: 'generation.cut', usage: usage(10, 5), reasoningTokens: 0 });
    account.answer.beginPart();
    account.close(context);
    expect(context.record.generations[0]?.tokens).toEqual({ prompt: 10, cached: 4, completion: 3 });
  });

  it('forgets the answer of an engine that was lost', async () => {
    const account = new GenerationAccount(request, 0);
    await account.begin(engine, testContext());
    account.note({ type: 'content.delta', text: 'Hello' });
    expect(account.hasOutput).toBe(true);
    account.restart();
    expect([account.hasOutput, account.answer.content]).toEqual([false, '']);
  });
});
