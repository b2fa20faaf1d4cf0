import { describe, expect, it } from 'vitest';
import { get, post } from '../setup/server/api.ts';
import { waitForRequests } from '../setup/server/instances.ts';
import { openStream } from '../setup/server/live-stream.ts';
import { endlessModel, placeEndlessModel } from '../setup/models/endless-model.ts';
import { openHearth } from '../setup/server/use-hearth.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';

const parallel = 4;
const maxOutputTokens = 1500;

describe('SIGTERM', () => {
  // covers error-16
  it('lets running answers finish, refuses new requests, and keeps /health', async () => {
    const home = await temporaryFolder();
    await placeEndlessModel(home);
    const server = await openHearth({
      home,
      flags: [`--engine-parallel=${parallel}`, '--limits-shutdown-seconds=600'],
    });
    const request = {
      model: endlessModel,
      input: 'Hello!',
      reasoning: 'off',
      max_output_tokens: maxOutputTokens,
    };
    const streams = await Promise.all(
      Array.from({ length: parallel }, () => openStream(server.url, '/api/v1/chat', request)),
    );
    const answers = Promise.all(streams.map((stream) => stream.rest()));
    await waitForRequests(server.url, endlessModel, parallel);
    const stopped = server.stop();
    await expect.poll(async () => (await get(server.url, '/ready')).status).toBe(503);
    expect((await get(server.url, '/health')).status).toBe(200);
    for (const refused of [
      await get(server.url, '/ready'),
      await post(server.url, '/api/v1/chat', request),
      await get(server.url, '/api/v1/models'),
    ]) {
      expect(refused.status).toBe(503);
      expect(refused.headers.get('retry-after')).toBe('5');
      expect(refused.body.error.code).toBe('shutting_down');
    }
    for (const events of await answers) {
      expect(events.map(({ event }) => event)).not.toContain('error');
      const { result } = JSON.parse(events.at(-1)?.data ?? '');
      expect(result.stats.total_output_tokens).toBe(maxOutputTokens);
      expect(result).not.toHaveProperty('interrupted');
    }
    expect(await stopped).toBe(0);
    await expect(fetch(`${server.url}/health`)).rejects.toThrow('fetch failed');
  });

  it('ends the server at once if it comes again', async () => {
    const home = await temporaryFolder();
    await placeEndlessModel(home);
    const server = await openHearth({ home, flags: ['--limits-shutdown-seconds=600'] });
    const request = { model: endlessModel, input: 'Hello!', reasoning: 'off' };
    const stream = await openStream(server.url, '/api/v1/chat', request);
    await stream.until('message.delta');
    process.kill(server.pid, 'SIGTERM');
    await expect.poll(async () => (await get(server.url, '/ready')).status).toBe(503);
    expect(await server.stop()).toBe(130);
    await stream.rest().catch(() => []);
  });
});

describe('--preload', () => {
  it('loads models while the server starts, and survives one that does not exist', async () => {
    const server = await openHearth({
      flags: ['--preload', 'hearth/starter-chat', '--preload', 'no/such-model'],
    });
    const instances = async () => (await get(server.url, '/api/v1/status')).body.instances;
    await expect
      .poll(instances, { timeout: 20_000 })
      .toMatchObject([{ model: 'hearth/starter-chat', state: 'ready', loaded_by: 'name' }]);
    const failure = server
      .log()
      .split('\n')
      .find((line) => line.includes('preload failed'));
    expect(JSON.parse(failure ?? '')).toMatchObject({
      model: 'no/such-model',
      requestId: 'preload',
      err: { code: 'model_not_found' },
    });
  });
});
