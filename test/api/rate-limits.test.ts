import { expect, it } from 'vitest';
import { noLimits, type RateLimits } from '../../src/store/shared/rate-limit-repository.ts';
import { post } from '../setup/server/api.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { withTokens } from '../setup/server/with-tokens.ts';

const makeTokens = (home: string) =>
  withTokens(home, async (service) => {
    const make = async (limits: Partial<RateLimits>) => {
      const rateLimits = { ...noLimits, ...limits };
      return (await service.create({ name: 'test', permissions: ['chat', 'admin'], rateLimits }))
        .token;
    };
    return {
      requests: await make({ requestsPerMinute: 2 }),
      tokens: await make({ requestsPerMinute: 1000, tokensPerMinute: 40 }),
      defaults: await make({}),
      dayRequests: await make({ requestsPerMinute: 1000, requestsPerDay: 2 }),
      dayTokens: await make({ requestsPerMinute: 1000, tokensPerDay: 40 }),
    };
  });
let tokens: Awaited<ReturnType<typeof makeTokens>>;
const hearth = useHearth(async (home) => {
  tokens = await makeTokens(home);
  return { flags: ['--limits-requests-per-minute=3', '--limits-tokens-per-day=1000000'] };
});

const model = 'hearth/starter-chat';
const messages = [{ role: 'user', content: 'Hello!' }];
const body = { model, messages, max_tokens: 8, temperature: 0 };
const as = (name: keyof typeof tokens, more: Readonly<Record<string, string>> = {}) => ({
  headers: { authorization: `Bearer ${tokens[name]}`, ...more },
});
const chat = (name: keyof typeof tokens) =>
  post(hearth.url, '/v1/chat/completions', body, as(name));

// covers error-11
it('limits the requests of a token, and tells the clients of OpenAI and Anthropic how long to wait', async () => {
  const first = await chat('requests');
  expect(first.status).toBe(200);
  expect(first.headers.get('x-ratelimit-limit-requests')).toBe('2');
  expect(first.headers.get('x-ratelimit-remaining-requests')).toBe('1');
  expect(first.headers.get('x-ratelimit-reset-requests')).toMatch(/^[\d.]+m?s$/);
  expect(first.headers.get('x-ratelimit-limit-tokens')).toBeNull();
  await chat('requests');
  const refused = await chat('requests');
  expect(refused).toMatchObject({
    status: 429,
    body: { error: { type: 'rate_limit_error', code: 'rate_limit_exceeded' } },
  });
  expect(refused?.body.error.message).toMatch(/^The token has used its 2 requests per minute\./);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(30);
  expect(Number(refused.headers.get('retry-after-ms'))).toBeGreaterThan(0);
  expect(refused.headers.get('x-ratelimit-remaining-requests')).toBe('0');
  const anthropic = await post(
    hearth.url,
    '/v1/messages',
    body,
    as('requests', { 'anthropic-version': '2023-06-01' }),
  );
  expect(anthropic).toMatchObject({ status: 429, body: { error: { type: 'rate_limit_error' } } });
  expect(anthropic.headers.get('anthropic-ratelimit-requests-limit')).toBe('2');
  expect(anthropic.headers.get('anthropic-ratelimit-requests-remaining')).toBe('0');
  expect(
    Date.parse(anthropic.headers.get('anthropic-ratelimit-requests-reset') ?? ''),
  ).toBeGreaterThan(Date.now());
  expect(anthropic.headers.get('retry-after')).not.toBeNull();
  const native = await post(hearth.url, '/api/v1/chat', { model, input: 'Hi' }, as('requests'));
  expect(native).toMatchObject({
    status: 429,
    body: { error: { type: 'server_busy', code: 'rate_limit_exceeded' } },
  });
  // This request generates no tokens.
  const listed = await fetch(`${hearth.url}/v1/models`, as('requests'));
  expect(listed.status).toBe(200);
});

it('limits the tokens of prompts and answers', async () => {
  const first = await chat('tokens');
  expect(first.headers.get('x-ratelimit-remaining-tokens')).toBe('40');
  let refused = first;
  await expect
    .poll(async () => {
      refused = await chat('tokens');
      return refused.status;
    })
    .toBe(429);
  expect(refused?.body.error.message).toMatch(/^The token has used its 40 tokens per minute\./);
  expect(refused.headers.get('x-ratelimit-remaining-tokens')).toBe('0');
});

it('takes the limits of the settings for a token without its own, and none without a token', async () => {
  const statuses = [];
  for (let count = 0; count < 4; count += 1) statuses.push((await chat('defaults')).status);
  expect(statuses).toEqual([200, 200, 200, 429]);
  for (let count = 0; count < 5; count += 1) {
    expect((await post(hearth.url, '/v1/chat/completions', body)).status).toBe(200);
  }
});

it('has the limits of a token in the API', async () => {
  const created = await post(
    hearth.url,
    '/api/v1/tokens',
    { name: 'guest', permissions: ['chat'], requests_per_minute: 5, tokens_per_day: 9_000 },
    as('defaults'),
  );
  expect(created.body).toMatchObject({
    requests_per_minute: 5,
    tokens_per_minute: null,
    requests_per_day: null,
    tokens_per_day: 9_000,
  });
  const bad = await post(
    hearth.url,
    '/api/v1/tokens',
    { name: 'guest', permissions: ['chat'], tokens_per_minute: 0 },
    as('defaults'),
  );
  expect(bad).toMatchObject({ status: 400, body: { error: { param: 'tokens_per_minute' } } });
});

// covers auth-16
it('limits the requests of a day, also after a restart', async () => {
  await chat('dayRequests');
  const second = await chat('dayRequests');
  expect(second.status).toBe(200);
  expect(second.headers.get('x-ratelimit-limit-requests-day')).toBe('2');
  expect(second.headers.get('x-ratelimit-remaining-requests-day')).toBe('0');
  expect(second.headers.get('x-ratelimit-remaining-tokens-day')).toMatch(/^9\d{5}$/);
  expect(second.headers.get('x-ratelimit-limit-requests')).toBe('1000');
  await hearth.stop();
  await hearth.restart();
  const refused = await chat('dayRequests');
  expect(refused).toMatchObject({
    status: 429,
    body: { error: { type: 'rate_limit_error', code: 'rate_limit_exceeded' } },
  });
  expect(refused.body.error.message).toMatch(
    /^The token has used its 2 requests per day\. The next day begins at 00:00 UTC, in \d/,
  );
  const midnight = new Date(Date.now() + Number(refused.headers.get('retry-after')) * 1000);
  expect(midnight.getTime() % (24 * 3600 * 1000)).toBeLessThan(60_000);
  const anthropic = await post(
    hearth.url,
    '/v1/messages',
    body,
    as('dayRequests', { 'anthropic-version': '2023-06-01' }),
  );
  expect(anthropic.status).toBe(429);
  expect(anthropic.headers.get('anthropic-ratelimit-requests-day-remaining')).toBe('0');
  expect(anthropic.headers.get('anthropic-ratelimit-requests-day-reset')).toMatch(
    /T00:00:00|T23:59/,
  );
});

it('limits the tokens of a day', async () => {
  expect((await chat('dayTokens')).headers.get('x-ratelimit-remaining-tokens-day')).toBe('40');
  let refused: Awaited<ReturnType<typeof chat>> | undefined;
  await expect
    .poll(async () => {
      refused = await chat('dayTokens');
      return refused.status;
    })
    .toBe(429);
  expect(refused?.body.error.message).toMatch(/^The token has used its 40 tokens per day\./);
});
