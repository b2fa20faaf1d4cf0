import { describe, expect, it } from 'vitest';
import {
  refusedOptions,
  refusedTexts,
  speechScriptCases,
} from '../fixtures/speech-script-cases.ts';
import { post } from '../setup/server/api.ts';
import { expectError } from '../setup/server/expect-error.ts';
import { withTokens } from '../setup/server/with-tokens.ts';
import { useHearth, openHearth } from '../setup/server/use-hearth.ts';

const hearth = useHearth();

const path = '/api/v1/speech/script';

describe('POST /api/v1/speech/script', () => {
  // covers script-2, script-10, script-12
  it.each(speechScriptCases)('$name', async ({ options, result }) => {
    const { status, body } = await post(hearth.url, path, options);
    expect({ status, body }).toEqual({ status: 200, body: result });
  });

  // covers script-1
  it.each([...refusedTexts, ...refusedOptions])('refuses $name', async (refusal) => {
    const { options, code, message, param } = refusal;
    const answer = await post(hearth.url, path, options);
    expectError(answer, { code, message, ...(param === undefined ? {} : { param }) });
  });
});

it('needs a token with the permission "chat" if tokens are required', async () => {
  const locked = await openHearth({ flags: ['--auth-required'] });
  const make = (permission: 'chat' | 'models:read') =>
    withTokens(locked.home, async (tokens) => {
      const { token } = await tokens.create({ name: 'test', permissions: [permission] });
      return { headers: { authorization: `Bearer ${token}` } };
    });
  const body = { text: 'Hello.' };
  expect((await post(locked.url, path, body)).status).toBe(401);
  expect((await post(locked.url, path, body, await make('models:read'))).status).toBe(403);
  expect((await post(locked.url, path, body, await make('chat'))).status).toBe(200);
});
