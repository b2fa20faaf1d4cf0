import { describe, expect, it } from 'vitest';
import { get, post } from '../setup/server/api.ts';
import { endlessModel, placeEndlessModel } from '../setup/models/endless-model.ts';
import { expectError, expectErrorFields } from '../setup/server/expect-error.ts';
import { waitForRequests } from '../setup/server/instances.ts';
import { isRunning } from '../setup/processes/is-running.ts';
import { followStream, openStream } from '../setup/server/live-stream.ts';
import { enginePidOf } from '../setup/server/loaded-engines.ts';
import { useHearth } from '../setup/server/use-hearth.ts';

const chat = '/api/v1/chat';
const endless = { model: endlessModel, input: 'Tell me a story' };
const endlessV0 = { model: endlessModel, messages: [{ role: 'user', content: endless.input }] };

const hearth = useHearth(async (home) => {
  await placeEndlessModel(home);
  return { flags: ['--engine-parallel=4', '--models-auto-evict=false'] };
});

describe('an engine that is killed while it works', () => {
  const crashed = { code: 'crashed', message: /engine .*stopped/i } as const;

  // covers error-20
  it('fails its requests of any kind, and the next request loads it again', async () => {
    const streamV1 = await openStream(hearth.url, chat, endless);
    const streamV0 = await openStream(hearth.url, '/api/v0/chat/completions', endlessV0);
    await Promise.all([streamV1.until('delta'), streamV0.until('delta')]);
    const json = post(hearth.url, chat, endless);
    const jsonV0 = post(hearth.url, '/api/v0/completions', { model: endlessModel, prompt: 'Once' });
    await waitForRequests(hearth.url, endlessModel, 4);

    const firstPid = await enginePidOf(hearth, endlessModel);
    process.kill(firstPid, 'SIGKILL');

    const v1 = (await streamV1.rest()).slice(-2);
    expect(v1.map(({ event }) => event)).toEqual(['error', 'chat.end']);
    expectErrorFields(JSON.parse(v1[0]?.data ?? '').error, crashed);
    const { result } = JSON.parse(v1[1]?.data ?? '');
    expect(result.output[0].content).not.toBe('');
    // The generated text is stored, so that the conversation can continue from it.
    const stored = await get(hearth.url, `/api/v1/responses/${result.response_id}`);
    expect(stored.body).toMatchObject({ interrupted: true, output: result.output });
    const v0 = (await streamV0.rest()).slice(-2);
    expectErrorFields(JSON.parse(v0[0]?.data ?? '').error, { ...crashed, isV0: true });
    expect(v0[1]?.data).toBe('[DONE]');
    expectError(await json, crashed);
    expectError(await jsonV0, { ...crashed, isV0: true });

    const next = await post(hearth.url, chat, { ...endless, store: false, max_output_tokens: 5 });
    expect(next).toMatchObject({
      status: 200,
      body: {
        model_instance_id: endlessModel,
        stats: { model_load_time_seconds: expect.any(Number) },
      },
    });
    expect(await enginePidOf(hearth, endlessModel)).not.toBe(firstPid);
  });

  it('fails queued requests as well', async () => {
    const answers = Array.from({ length: 6 }, () => post(hearth.url, chat, endless));
    await waitForRequests(hearth.url, endlessModel, 4);
    process.kill(await enginePidOf(hearth, endlessModel), 'SIGKILL');
    for (const answer of await Promise.all(answers)) expectError(answer, crashed);
  });
});

describe('a server that is killed while it works', () => {
  // covers v1-stored-6
  it('leaves no engine behind, and continues with its conversations when started again', async () => {
    const first = await post(hearth.url, chat, {
      model: 'hearth/starter-chat',
      input: 'My name is Zorbek.',
      reasoning: 'off',
    });
    const running = await openStream(hearth.url, chat, endless);
    await running.until('delta');
    const engines = [
      await enginePidOf(hearth, endlessModel),
      await enginePidOf(hearth, 'hearth/starter-chat'),
    ];

    await hearth.kill();
    await expect(running.rest()).rejects.toThrow('terminated');
    for (const pid of engines) {
      await expect.poll(() => isRunning(pid), { timeout: 2000 }).toBe(false);
    }

    await hearth.restart({});
    const list = await get(hearth.url, '/api/v1/responses');
    const complete = (list.body.responses as readonly { readonly interrupted?: boolean }[]).filter(
      ({ interrupted }) => interrupted !== true,
    );
    expect(complete).toEqual([
      expect.objectContaining({ response_id: first.body.response_id, output: first.body.output }),
    ]);
    const next = await post(hearth.url, chat, {
      model: 'hearth/starter-chat',
      input: 'What is my name?',
      reasoning: 'off',
      previous_response_id: first.body.response_id,
    });
    expect(next.body.output[0].content).toContain('Zorbek');
  });

  it('stores what its responses in the background had written, and ends them', async () => {
    const running = await openStream(hearth.url, chat, { ...endless, background: true });
    const start = JSON.parse((await running.until('chat.start')).data);
    // Far more events than are stored at once.
    for (let count = 0; count < 30; count += 1) await running.until('message.delta');
    await hearth.kill();
    await hearth.restart({});
    const path = `/api/v1/responses/${start.response_id}`;
    const events = await (await followStream(hearth.url, `${path}/events`)).rest();
    const [error, end] = events.slice(-2).map(({ data }) => JSON.parse(data));
    expectErrorFields(error.error, { code: 'interrupted', message: /ended in the middle/ });
    expect(end.result.output.at(-1).content).not.toBe('');
    const stored = await get(hearth.url, path);
    expect(stored.body).toMatchObject({ interrupted: true, output: end.result.output });
  });
});
