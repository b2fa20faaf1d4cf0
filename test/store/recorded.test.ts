import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { addHarbour } from '../setup/mcp/harbour.ts';
import { get, post } from '../setup/server/api.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { recordedStore, recordedStoreFile } from '../setup/store/recorded-store.ts';

const recorded = await recordedStore();
const headers = { authorization: `Bearer ${recorded.token}` };

const hearth = useHearth(async (home) => {
  await copyFile(recordedStoreFile, join(home, 'hearth.db'));
  await addHarbour(home);
  return { flags: ['--mcp-allow-plugins'] };
});

/** Version 0.1.0 reported a speed of 0 for answers of one token. */
const withoutSpeed = <Value>(value: Value): Value =>
  JSON.parse(JSON.stringify(value).replaceAll(/"tokens_per_second":[\d.e-]+,/g, '')) as Value;

it.each(['anonymous', 'token'] as const)(
  'shows the responses of 0.1.0 as it did: %s',
  async (owner) => {
    const init = owner === 'token' ? { headers } : {};
    const page = withoutSpeed(recorded.pages[owner]);
    const list = await get(hearth.url, '/api/v1/responses?limit=100', init);
    expect(withoutSpeed(list.body)).toEqual(page);
    // Every byte must be equal, including the order of fields.
    expect(JSON.stringify(withoutSpeed(list.body))).toBe(JSON.stringify(page));
    for (const response of page.responses) {
      const one = await get(hearth.url, `/api/v1/responses/${response.response_id}`, init);
      expect(withoutSpeed(one.body)).toEqual(response);
    }
  },
);

it.each(recorded.continuations)(
  'continues like 0.1.0: $request.input',
  async ({ request, isOwned, output, inputTokens }) => {
    const answer = await post(hearth.url, '/api/v1/chat', request, isOwned ? { headers } : {});
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    expect(answer.body.output).toEqual(output);
    expect(answer.body.stats.input_tokens).toBe(inputTokens);
  },
);
