import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runHearth } from '../setup/cli/run-hearth.ts';
import { addHarbour, type Harbour } from '../setup/mcp/harbour.ts';
import { endlessModel, placeEndlessModel } from '../setup/models/endless-model.ts';
import { placeRankModel, rankModel } from '../setup/models/rank-model.ts';
import { freePort } from '../setup/net/ports.ts';
import { get, post, postRaw } from '../setup/server/api.ts';
import { useHearth } from '../setup/server/use-hearth.ts';

/** Two machines: a laptop, and a box with another model. Both are this machine, with different addresses. */

const boxAddress = '127.0.0.2';
let [laptopPort, boxPort] = [0, 0];
let harbour: Harbour;

const laptop = useHearth(async (home) => {
  harbour = await addHarbour(home);
  laptopPort = await freePort();
  const environment = { HEARTH_SERVER_LINK_ADDRESS: `127.0.0.1:${laptopPort}` };
  return { environment, flags: ['--mcp-allow-plugins'] };
});
const box = useHearth(async (home) => {
  boxPort = await freePort();
  await placeEndlessModel(home);
  await placeRankModel(home);
  const environment = {
    HEARTH_SERVER_LINK_ADDRESS: `${boxAddress}:${boxPort}`,
    HEARTH_ENGINE_CONTEXT_LENGTH: '4096',
  };
  return { environment, flags: ['--bind', boxAddress] };
});

const run = (home: string, ...commandLine: readonly string[]) => runHearth(commandLine, { home });
const asOwner = async (home: string) => {
  const token = await readFile(join(home, 'owner-token'), 'utf8');
  return { headers: { authorization: `Bearer ${token.trim()}` } };
};
const offer = async (machine = box): Promise<string> =>
  (await post(machine.url, '/api/v1/links/offers', undefined, await asOwner(machine.home))).body
    .code;
const add = async (code: string, name = 'box') =>
  post(
    laptop.url,
    '/api/v1/links',
    { host: boxAddress, port: boxPort, code, name },
    await asOwner(laptop.home),
  );
const links = async () => (await get(laptop.url, '/api/v1/links', await asOwner(laptop.home))).body;
const removeLink = async () =>
  fetch(`${laptop.url}/api/v1/links/box`, { method: 'DELETE', ...(await asOwner(laptop.home)) });
const machinesOf = async (url: string): Promise<Readonly<Record<string, unknown>>> =>
  Object.fromEntries(
    (await get(url, '/api/v1/models')).body.models.map(
      ({ key, machines }: { readonly key: string; readonly machines?: unknown }) => [
        key,
        machines ?? null,
      ],
    ),
  );
const settings = { temperature: 0, reasoning: 'off', max_output_tokens: 80 };
const chat = async (body: object) =>
  post(laptop.url, '/api/v1/chat', { ...settings, ...body }, { headers: await token() });
let bearer: Readonly<Record<string, string>> | undefined;
const token = async () => (bearer ??= await harbour.bearer('chat', 'plugins', 'models:write'));
const load = (url: string, model: string) => post(url, '/api/v1/models/load', { model });
const unload = (url: string, id: string) => post(url, '/api/v1/models/unload', { instance_id: id });

/** Replaces a character of a code by another one. */
const mistype = (code: string, index: number): string =>
  code.slice(0, index) + (code[index] === '7' ? '8' : '7') + code.slice(index + 1);

describe('a link', () => {
  it('needs a code that the other machine made, and uses it up', async () => {
    const offered = await run(box.home, 'link', 'offer');
    const code = offered.stdout.trim();
    expect(offered.stderr).toContain(`hearth link add ${boxAddress}:${boxPort} ${code}`);
    const otherKey = await add(mistype(code, 0));
    expect(otherKey.status).toBe(401);
    expect(otherKey.body.error).toMatchObject({ code: 'invalid_code', param: 'code' });
    expect(otherKey.body.error.message).toMatch(/not from the machine at .* Nothing was sent/u);
    const otherSecret = await add(mistype(code, code.length - 1));
    expect(otherSecret.body.error.message).toContain('does not accept the code');
    expect((await add('hello')).body.error.message).toContain('six groups');
    const own = await add(await offer(laptop));
    expect(own.body.error.message).toContain('not from the machine');
    expect(await links()).toEqual({ to: [], from: [] });
    expect((await add(code)).body).toMatchObject({ name: 'box', model_count: 5, problem: null });
    expect((await add(await offer())).body.error).toMatchObject({ code: 'conflict' });
    expect((await removeLink()).status).toBe(200);
    expect((await add(code)).body.error.message).toContain('mistyped, used or too old');
  });

  it('is made, listed and removed by commands', async () => {
    const code = await offer();
    const spoken = code.toLowerCase().replaceAll('-', ' ');
    const where = `${boxAddress}:${boxPort}`;
    const added = await run(laptop.home, 'link', 'add', where, spoken, '--name', 'tower');
    expect(added).toMatchObject({ exitCode: 0, stdout: 'Linked tower\n' });
    const listed = await run(laptop.home, 'link', 'list');
    expect(listed.stdout).toMatch(/tower +to +127\.0\.0\.2:\d+ +5 models/u);
    const removed = await run(laptop.home, 'link', 'remove', 'tower');
    expect(removed).toMatchObject({ exitCode: 0, stdout: 'Removed tower\n', stderr: '' });
    const there = await get(box.url, '/api/v1/links', await asOwner(box.home));
    expect(there.body).toEqual({ to: [], from: [] });
  });
});

describe('linked machines', () => {
  it('use each other', async () => {
    expect((await add(await offer())).status).toBe(200);
    // The box uses the models of the laptop, too: requests must not go in circles.
    const [code, address] = [await offer(laptop), '127.0.0.1'];
    const back = { host: address, port: laptopPort, code, name: 'laptop' };
    const linked = await post(box.url, '/api/v1/links', back, await asOwner(box.home));
    expect(linked.status, JSON.stringify(linked.body)).toBe(200);
  });

  it('have one list of models', async () => {
    const shared = {
      'hearth/starter-chat': ['box'],
      'hearth/starter-embed': ['box'],
      'hearth/starter-vision': ['box'],
    };
    expect(await machinesOf(laptop.url)).toEqual({
      ...shared,
      [endlessModel]: ['box'],
      [rankModel]: ['box'],
    });
    const ofBox = await machinesOf(box.url);
    expect(ofBox).toMatchObject({ 'hearth/starter-chat': ['laptop'], [endlessModel]: null });
    const ids = await get(laptop.url, '/v1/models');
    expect(ids.body.data).toContainEqual(expect.objectContaining({ id: endlessModel }));
  });

  it('run a model where it is loaded, with the state and the tools of the laptop', async () => {
    expect((await load(box.url, 'hearth/starter-chat')).status).toBe(200);
    // Reads the list of the box again.
    await links();
    const first = await chat({ model: 'hearth/starter-chat', input: 'My name is Ada.' });
    expect(first.body.model_instance_id).toBe('hearth/starter-chat@box');
    const tools = await chat({
      model: 'hearth/starter-chat',
      input: 'What is the weather in Lisbon?',
      integrations: ['mcp/harbour'],
    });
    expect(tools.body.output).toMatchObject([
      { type: 'tool_call', tool: 'get_weather', arguments: { city: 'Lisbon' } },
      { type: 'message' },
    ]);
    expect(await harbour.journal()).toContainEqual(
      expect.objectContaining({ called: 'get_weather' }),
    );
    await load(laptop.url, 'hearth/starter-chat');
    const second = await chat({
      model: 'hearth/starter-chat',
      input: 'What is my name?',
      previous_response_id: first.body.response_id,
    });
    expect(second.body.model_instance_id).toBe('hearth/starter-chat');
    expect(second.body.output.at(-1).content).toContain('Ada');
    // The machine can be named.
    const named = await chat({ model: 'hearth/starter-chat@box', input: 'Hello!' });
    expect(named.body.model_instance_id).toBe('hearth/starter-chat@box');
    await unload(laptop.url, 'hearth/starter-chat');
    const loaded = (await get(box.url, '/api/v1/models/hearth%2Fstarter-chat')).body;
    expect(loaded.loaded_instances).toHaveLength(1);
  });

  it('rank like one', async () => {
    const documents = ['Bake bread in a oven.', 'The giant panda is a bear in China.'];
    const rank = (url: string) =>
      post(url, '/v1/rerank', { model: rankModel, query: 'What is a panda?', documents });
    const there = await rank(box.url);
    expect(there.body.results.map(({ index }: { readonly index: number }) => index)).toEqual([
      1, 0,
    ]);
    expect((await rank(laptop.url)).body.results).toEqual(there.body.results);
  });

  it('embed like one', async () => {
    const embed = (url: string) =>
      post(url, '/v1/embeddings', { model: 'hearth/starter-embed', input: 'a boat' });
    const there = await embed(box.url);
    await links();
    const here = await embed(laptop.url);
    expect(here.body.data).toEqual(there.body.data);
    const { body } = await get(laptop.url, '/api/v1/models/hearth%2Fstarter-embed');
    expect(body.loaded_instances).toMatchObject([{ id: 'hearth/starter-embed@box' }]);
  });

  it('keep the state of a conversation when the box is killed', async () => {
    const response = await postRaw(
      laptop.url,
      '/api/v1/chat',
      JSON.stringify({ model: endlessModel, input: 'My name is Ada.', stream: true }),
    );
    let text = '';
    let isKilled = false;
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString();
      if (isKilled || text.split('message.delta').length < 10) continue;
      isKilled = true;
      await box.kill();
    }
    const error = /event: error\ndata: (?<data>.*)/u.exec(text)?.groups?.['data'] ?? '{}';
    expect(JSON.parse(error).error).toMatchObject({ code: 'upstream_error' });
    expect(JSON.parse(error).error.message).toContain('"box"');
    const id = /"response_id":"(?<id>resp_\w+)"/u.exec(text)?.groups?.['id'] ?? '';
    const stored = await get(laptop.url, `/api/v1/responses/${id}`);
    expect(stored.body).toMatchObject({ interrupted: true });
    // The box had both models loaded.
    const continued = await chat({
      model: 'hearth/starter-chat',
      input: 'What is my name?',
      previous_response_id: id,
    });
    expect(continued.status, JSON.stringify(continued.body)).toBe(200);
    expect(continued.body.model_instance_id).toBe('hearth/starter-chat');
    const lost = await chat({ model: endlessModel, input: 'Hello!', max_output_tokens: 4 });
    expect(lost.status).toBe(503);
    expect(lost.body.error).toMatchObject({ code: 'upstream_unavailable' });
    await box.restart();
    const again = async () =>
      (await chat({ model: endlessModel, input: 'Hello!', max_output_tokens: 4 })).status;
    await expect.poll(again, { timeout: 20_000 }).toBe(200);
  });

  it('are not trusted with another key', async () => {
    const { key } = (await links()).to[0];
    await box.kill();
    await rm(join(box.home, 'link-key.pem'));
    await box.restart();
    const lost = await chat({ model: endlessModel, input: 'Hello!' });
    expect(lost.status).toBe(502);
    expect(lost.body.error.message).toContain(`but was linked with ${key}`);
    expect(lost.body.error.message).toContain('hearth link rm box');
    const [listed] = (await links()).to;
    expect(listed).toMatchObject({ model_count: null, problem: lost.body.error.message });
    expect((await chat({ model: 'hearth/starter-chat', input: 'Hello!' })).status).toBe(200);
    const removed = await removeLink();
    expect(await removed.json()).toMatchObject({ removed: true, revoked_there: false });
    expect(await machinesOf(laptop.url)).not.toHaveProperty([endlessModel]);
  });
});
