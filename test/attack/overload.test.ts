import { expect, it } from 'vitest';
import { get, post, type ApiAnswer } from '../setup/server/api.ts';
import { endlessModel, placeEndlessModel } from '../setup/models/endless-model.ts';
import { expectError, expectErrorFields } from '../setup/server/expect-error.ts';
import { instancesOf, waitForRequests } from '../setup/server/instances.ts';
import { openStream } from '../setup/server/live-stream.ts';
import { loadedEngines } from '../setup/server/loaded-engines.ts';
import { useHearth } from '../setup/server/use-hearth.ts';

const model = 'hearth/starter-chat';
const hello = { model, input: 'Hello!', reasoning: 'off', store: false };
const helloV0 = { model, messages: [{ role: 'user', content: 'Hello!' }] };

const hearth = useHearth(async (home) => {
  await placeEndlessModel(home);
  const flags = [
    '--models-auto-evict=false',
    '--engine-parallel=2',
    // Enough context for the endless model to generate for a whole test.
    '--engine-context-length=16384',
  ];
  return { flags };
});

/** Sends half of the requests to v1, half to v0. */
function askAtOnce(count: number): Promise<readonly ApiAnswer[]> {
  return Promise.all(
    Array.from({ length: count }, (_, index) =>
      index % 2 === 0
        ? post(hearth.url, '/api/v1/chat', hello)
        : post(hearth.url, '/api/v0/chat/completions', helloV0),
    ),
  );
}

// covers v1-chat-30
it('loads a model once for 64 first requests', async () => {
  const answers = await askAtOnce(64);
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 64 }, () => 200));
  expect([...(await instancesOf(hearth.url)).keys()]).toEqual([model]);
  const loads = () => loadedEngines(hearth.log()).map(({ instance }) => instance);
  await expect.poll(loads).toEqual([model]);
});

// covers error-10
it('answers each of 200 requests: those within the limits, and the others with 429', async () => {
  const answers = await askAtOnce(200);
  const refused = answers.filter(({ status }) => status !== 200);
  expect(answers.length - refused.length).toBeGreaterThanOrEqual(72);
  expect(refused.length).toBeGreaterThan(0);
  for (const answer of refused) {
    expect(answer).toMatchObject({ status: 429, body: { error: { code: 'queue_full' } } });
    expect(answer.headers.get('retry-after')).toBe('1');
  }
  expect((await instancesOf(hearth.url)).get(model)).toMatchObject({
    active_requests: 0,
    queued_requests: 0,
  });
  expect((await get(hearth.url, '/health')).status).toBe(200);
});

// covers v1-model-13
it('reports to all running and waiting requests that their instance was unloaded', async () => {
  const endless = { model: endlessModel, input: 'Tell me a story', store: false };
  const endlessV0 = { ...helloV0, model: endlessModel };
  const unloaded = { code: 'unloaded', message: `${endlessModel} was unloaded while` } as const;
  const streamV1 = await openStream(hearth.url, '/api/v1/chat', endless);
  await streamV1.until('delta');
  const streamV0 = await openStream(hearth.url, '/api/v0/chat/completions', endlessV0);
  const waiting = [
    post(hearth.url, '/api/v1/chat', endless),
    post(hearth.url, '/api/v0/chat/completions', { ...endlessV0, stream: true }),
    post(hearth.url, '/api/v0/completions', { model: endlessModel, prompt: 'Once' }),
  ];
  const waitingStream = await openStream(hearth.url, '/api/v1/chat', endless);
  await waitForRequests(hearth.url, endlessModel, 2);
  const queued = async () => (await instancesOf(hearth.url)).get(endlessModel)?.queued_requests;
  await expect.poll(queued).toBe(4);

  const path = '/api/v1/models/unload';
  const answer = await post(hearth.url, path, { instance_id: endlessModel });
  expect(answer).toMatchObject({ status: 200, body: { instance_id: endlessModel } });
  for (const live of [streamV1, waitingStream]) {
    const last = (await live.rest()).slice(-2);
    expect(last.map(({ event }) => event)).toEqual(['error', 'chat.end']);
    expectErrorFields(JSON.parse(last[0]?.data ?? '').error, unloaded);
  }
  const [error, done] = (await streamV0.rest()).slice(-2);
  expectErrorFields(JSON.parse(error?.data ?? '').error, { ...unloaded, isV0: true });
  expect(done?.data).toBe('[DONE]');
  for (const [index, refused] of (await Promise.all(waiting)).entries()) {
    expectError(refused, { ...unloaded, isV0: index > 0 });
  }
  expect([...(await instancesOf(hearth.url)).keys()]).toEqual([model]);
  const next = await post(hearth.url, '/api/v1/chat', { ...endless, max_output_tokens: 3 });
  expect(next.status).toBe(200);
});

it('caused no warning of Node, such as a listener leak', () => {
  expect(hearth.log()).not.toContain('Warning');
});
