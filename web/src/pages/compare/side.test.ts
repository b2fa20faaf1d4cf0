import { expect, it } from 'vitest';
import { idleAnswer, toSideBody, withChatEvent } from './side.ts';

it('collects the answer, its reasoning and an error', () => {
  let answer = withChatEvent(idleAnswer, { type: 'reasoning.delta', content: 'Hm' });
  answer = withChatEvent(answer, { type: 'message.delta', content: 'Par' });
  answer = withChatEvent(answer, { type: 'message.delta', content: 'is' });
  expect(answer).toMatchObject({ phase: 'generating', text: 'Paris', reasoning: 'Hm' });
  const failed = withChatEvent(answer, {
    type: 'error',
    error: { type: 'server_error', message: 'The model crashed.', code: 'engine_failed' },
  } as never);
  expect(failed).toMatchObject({ phase: 'done', text: 'Paris', error: 'The model crashed.' });
});

it('sends what was entered only', () => {
  const side = { model: 'm', temperature: '', maxTokens: '' };
  const question = { prompt: 'Hello', system: ' ' };
  expect(toSideBody(side, question)).toEqual({
    model: 'm',
    input: 'Hello',
    stream: true,
    store: false,
  });
  expect(
    toSideBody({ ...side, temperature: '0', maxTokens: '9' }, { ...question, system: 'Be brief.' }),
  ).toMatchObject({ temperature: 0, max_output_tokens: 9, system_prompt: 'Be brief.' });
});
