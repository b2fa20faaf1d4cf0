import { describe, expect, it } from 'vitest';
import { post } from '../setup/server/api.ts';
import { useHearth } from '../setup/server/use-hearth.ts';

/** Four slots that share the cache of one context. */
const hearth = useHearth({
  flags: ['--engine-parallel=4', '--engine-cache-contexts=1', '--engine-context-length=1024'],
});

/** A prompt of about 300 tokens. */
const text = Array.from({ length: 45 }, (_, index) => `Apple ${index} is red.`).join(' ');

async function complete(index: number, more: Readonly<Record<string, unknown>> = {}) {
  const { status, body } = await post(hearth.url, '/v1/completions', {
    model: 'hearth/starter-chat',
    prompt: `${index}: ${text}`,
    temperature: 0,
    max_tokens: 200,
    // Prevents the end of the text.
    logit_bias: { 2: -100 },
    ...more,
  });
  return { status, body, usage: body.usage, reason: body.choices?.[0]?.finish_reason };
}

/** A chat without a limit. */
async function tell(subject: string) {
  const { status, body } = await post(hearth.url, '/v1/chat/completions', {
    model: 'hearth/starter-chat',
    messages: [{ role: 'user', content: `Tell me a story about ${subject}` }],
    temperature: 0,
  });
  expect(body.error).toBeUndefined();
  const { message, finish_reason: reason } = body.choices[0];
  return { answer: { status, message, reason }, tokens: body.usage.completion_tokens };
}

const subjects = ['a fox', 'the sea', 'a lamp', 'an owl'];

describe('slots that share a cache', () => {
  it('answer more requests than the cache holds, each to its end', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, (_, index) => complete(index)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const most = answers.map(({ usage }) => usage.prompt_tokens + usage.completion_tokens);
    expect(Math.max(...most) * 4).toBeGreaterThan(1024);
    const alone = await complete(3);
    expect(alone.body.choices[0].text).toBe(answers[3]?.body.choices[0].text);
  });

  it('give each answer the whole context, one after the other', async () => {
    const answers = await Promise.all(
      [1, 2, 3].map((index) => complete(index, { max_tokens: 5000 })),
    );
    for (const { status, usage, reason } of answers) {
      expect([status, reason, usage.total_tokens]).toEqual([200, 'length', 1024]);
    }
  });

  it('pause answers without a limit, which continue and end as they do alone', async () => {
    const together = await Promise.all(subjects.map(tell));
    for (const [index, { answer, tokens }] of together.entries()) {
      const alone = await tell(subjects[index] ?? '');
      expect(answer).toEqual(alone.answer);
      // When the engine continues, it reads the beginning again and may split it into other tokens.
      expect(Math.abs(tokens - alone.tokens)).toBeLessThan(5);
    }
    expect(together.reduce((sum, { tokens }) => sum + tokens, 0)).toBeGreaterThan(1024);
  });

  it('continue answers that the engine ended before Hearth could pause them', async () => {
    // Answers seem to be short, so that all four start.
    for (let index = 0; index < 25; index += 1) {
      await complete(index, { prompt: 'Hello', max_tokens: 8 });
    }
    const stalls = setInterval(() => {
      process.kill(hearth.pid, 'SIGSTOP');
      setTimeout(() => process.kill(hearth.pid, 'SIGCONT'), 200);
    }, 300);
    const together = await Promise.all(subjects.map(tell)).finally(() => clearInterval(stalls));
    for (const [index, { answer }] of together.entries()) {
      expect(answer).toEqual((await tell(subjects[index] ?? '')).answer);
    }
  });

  it('refuse a prompt that exceeds the context, although the cache of all is larger', async () => {
    const { status, body } = await complete(0, { prompt: text.repeat(5) });
    expect([status, body.error.code]).toEqual([400, 'context_length_exceeded']);
  });
});
