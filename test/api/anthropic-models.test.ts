import Anthropic from '@anthropic-ai/sdk';
import { describe, expect, it } from 'vitest';
import { get, post } from '../setup/server/api.ts';
import { openHearth, useHearth } from '../setup/server/use-hearth.ts';

const hearth = useHearth();
const connect = () => new Anthropic({ baseURL: hearth.url, apiKey: 'any-word', maxRetries: 0 });

describe('Anthropic models', () => {
  it('are listed and shown to clients with the version header', async () => {
    const ids: string[] = [];
    for await (const each of connect().models.list({ limit: 1 })) ids.push(each.id);
    expect(ids).toEqual(['hearth/starter-chat', 'hearth/starter-vision']);
    expect(await connect().models.retrieve('hearth/starter-vision')).toMatchObject({
      type: 'model',
      id: 'hearth/starter-vision',
      display_name: 'starter-vision',
      capabilities: { image_input: { supported: true } },
    });
    const openAi = await get(hearth.url, '/v1/models');
    expect(openAi.body.object).toBe('list');
  });

  it('have pages in both directions', async () => {
    const headers = { 'anthropic-version': '2023-06-01' };
    const page = async (query: string) =>
      (await get(hearth.url, `/v1/models?${query}`, { headers })).body;
    expect(await page('limit=1')).toMatchObject({
      has_more: true,
      first_id: 'hearth/starter-chat',
      last_id: 'hearth/starter-chat',
    });
    expect(await page('after_id=hearth/starter-chat')).toMatchObject({
      has_more: false,
      first_id: 'hearth/starter-vision',
    });
    expect(await page('limit=1&before_id=hearth/starter-vision')).toMatchObject({
      has_more: false,
      last_id: 'hearth/starter-chat',
    });
    expect(await page('after_id=nothing')).toMatchObject({
      type: 'error',
      error: { type: 'invalid_request_error', details: { param: 'after_id' } },
    });
  });
});

// covers server-16
it('is served unless a setting switches it off', async () => {
  const off = await openHearth({ flags: ['--surfaces-anthropic=false'] });
  const headers = { 'anthropic-version': '2023-06-01' };
  expect((await post(off.url, '/v1/messages', {}, { headers })).status).toBe(404);
  expect((await get(off.url, '/v1/models', { headers })).body.object).toBe('list');
});
