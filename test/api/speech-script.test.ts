import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  refusedOptions,
  refusedTexts,
  speechScriptCases,
} from '../fixtures/speech-script-cases.ts';
import { post } from '../setup/api.ts';
import { expectError } from '../setup/expect-error.ts';
import { removeHome, startHearth, type HearthProcess } from '../setup/hearth-process.ts';
import { withTokens } from '../setup/with-tokens.ts';

let hearth: HearthProcess;
beforeAll(async () => {
  hearth = await startHearth();
});
afterAll(async () => {
  await hearth.stop();
  await removeHome(hearth.home);
});

const path = '/api/v1/speech/script';

describe('POST /api/v1/speech/script', () => {
  it.each(speechScriptCases)('$name', async ({ options, result }) => {
    const { status, body } = await post(hearth.url, path, options);
    expect({ status, body }).toEqual({ status: 200, body: result });
  });

  it.each([...refusedTexts, ...refusedOptions])('refuses $name', async (refusal) => {
    const { options, code, message, param } = refusal;
    const answer = await post(hearth.url, path, options);
    expectError(answer, { code, message, ...(param === undefined ? {} : { param }) });
  });
});

it('needs a token with the permission "chat" where tokens are required', async () => {
  const locked = await startHearth({ flags: ['--auth-required'] });
  try {
    const make = (permission: 'chat' | 'models:read') =>
      withTokens(locked.home, async (tokens) => {
        const { token } = await tokens.create({ name: 'test', permissions: [permission] });
        return { headers: { authorization: `Bearer ${token}` } };
      });
    const body = { text: 'Hello.' };
    expect((await post(locked.url, path, body)).status).toBe(401);
    expect((await post(locked.url, path, body, await make('models:read'))).status).toBe(403);
    expect((await post(locked.url, path, body, await make('chat'))).status).toBe(200);
  } finally {
    await locked.stop();
    await removeHome(locked.home);
  }
});
