import { beforeAll, describe, expect, it } from 'vitest';
import { post } from '../setup/server/api.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { expectAnswer } from './expect-answer.ts';
import type { PeerAnswer, PeerCase } from './peer-case.ts';
import { sendRequest } from './send-request.ts';
import { peerSuites } from './suites.ts';
import { chat, embed, vision } from './values.ts';

const hearth = useHearth();

beforeAll(async () => {
  for (const model of [chat, embed, vision])
    await post(hearth.url, '/api/v1/models/load', { model });
});

async function run({ before = [], request, expect: expected }: PeerCase): Promise<void> {
  const earlier: PeerAnswer[] = [];
  for (const each of [...before, request]) {
    const next = typeof each === 'function' ? each(earlier) : each;
    earlier.push(await sendRequest(hearth.url, next));
  }
  const answer = earlier.pop();
  if (answer === undefined) throw new Error('A case has a request.');
  expectAnswer(answer, typeof expected === 'function' ? expected(earlier) : expected);
}

describe.each(peerSuites)('$peer: $path', ({ cases }) => {
  it.each(cases)('$id: $users', run);
});

it('has a different id for each case', () => {
  const ids = peerSuites.flatMap(({ cases }) => cases.map(({ id }) => id));
  expect(new Set(ids).size).toBe(ids.length);
});
