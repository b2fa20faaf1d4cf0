import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { say } from '../setup/engine/open-upstream.ts';
import { sendJson, startLoopbackServer } from '../setup/net/loopback-server.ts';
import { get, post } from '../setup/server/api.ts';
import { expectError } from '../setup/server/expect-error.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { withTokens } from '../setup/server/with-tokens.ts';
import { useResource } from '../setup/use-resource.ts';

/** A remote model that records its requests. */
const upstream = useResource(() =>
  startLoopbackServer(({ path }, response) => {
    if (path.endsWith('/models')) sendJson(response, { data: [{ id: 'small' }] });
    else say(response, 'Hello.');
  }),
);
const hearth = useHearth(async (home) => {
  const models = { small: { contextLength: 4096 } };
  const upstreams = { lab: { url: `${upstream.url}/v1`, kind: 'openai', models } };
  await writeFile(join(home, 'config.json'), JSON.stringify({ upstreams }));
});

type Headers = Readonly<Record<string, string>>;

const create = async (body: object = { name: 'The sea' }, headers: Headers = {}) =>
  (await post(hearth.url, '/api/v1/projects', body, { headers })).body;
const patch = (path: string, body: object, headers: Headers = {}) =>
  post(hearth.url, `/api/v1/${path}`, body, { method: 'PATCH', headers });
const remove = (path: string) => get(hearth.url, `/api/v1/${path}`, { method: 'DELETE' });
const chat = (body: object, headers: Headers = {}) =>
  post(hearth.url, '/api/v1/chat', { model: 'lab/small', input: 'Hello', ...body }, { headers });
const listed = async (query = '', headers: Headers = {}) =>
  (await get(hearth.url, `/api/v1/conversations?${query}`, { headers })).body.conversations;
const twoOwners = () =>
  withTokens(hearth.home, async (tokens): Promise<readonly [Headers, Headers]> => {
    const make = async () => {
      const { token } = await tokens.create({ name: 'owner', permissions: ['chat'] });
      return { authorization: `Bearer ${token}` };
    };
    return [await make(), await make()];
  });
const lastMessages = () => JSON.parse(upstream.requests.at(-1)?.body ?? '{}').messages;

describe('projects', () => {
  it('are created, read, changed by revision, listed and deleted', async () => {
    const project = await create({ name: 'Tides', instructions: 'Be brief.' });
    expect(project).toMatchObject({
      instructions: 'Be brief.',
      preset: null,
      files: [],
      revision: 1,
    });
    const path = `projects/${project.project_id}`;
    expect((await get(hearth.url, `/api/v1/${path}`)).body).toEqual(project);
    const changed = await patch(path, { model: 'lab/small', revision: 1 });
    expect(changed.body).toMatchObject({ name: 'Tides', model: 'lab/small', revision: 2 });
    expectError(await patch(path, { name: 'Other', revision: 1 }), {
      code: 'conflict',
      param: 'revision',
      message: 'has revision 2',
    });
    expect((await get(hearth.url, '/api/v1/projects')).body.projects).toContainEqual(changed.body);
    expect((await remove(path)).body).toEqual({ project_id: project.project_id, deleted: true });
    expectError(await remove(path), {
      code: 'project_not_found',
      param: 'project_id',
      message: 'no project',
    } as const);
  });

  it('keep the texts of files', async () => {
    const { project_id: id } = await create();
    const path = `/api/v1/projects/${id}/files`;
    const { body: file } = await post(hearth.url, path, { name: 'a.md', text: '# Größe' });
    expect(file).toMatchObject({ name: 'a.md', characters: 7 });
    const read = await get(hearth.url, `${path}/${file.file_id}`);
    expect(read.body).toEqual({ ...file, text: '# Größe' });
    expect((await get(hearth.url, `/api/v1/projects/${id}`)).body.files).toEqual([file]);
    expectError(await post(hearth.url, path, { name: 'b', text: 'a\0b' }), {
      code: 'invalid_value',
      param: 'text',
      message: 'NUL',
    });
    const long = 'a'.repeat(9_999_999);
    expectError(await post(hearth.url, path, { name: 'b', text: long }), {
      code: 'invalid_value',
      message: '10000000 characters',
    });
    expect((await remove(`projects/${id}/files/${file.file_id}`)).status).toBe(200);
    expectError(await remove(`projects/${id}/files/${file.file_id}`), {
      code: 'project_not_found',
      param: 'file_id',
      message: 'has the file',
    });
  });

  it('refuse one more than the limit', async () => {
    const [headers] = await twoOwners();
    for (let count = 0; count < 200; count += 1) await create({ name: `P ${count}` }, headers);
    const refused = await post(hearth.url, '/api/v1/projects', { name: 'One more' }, { headers });
    expectError(refused, { code: 'invalid_value', message: '200 projects' });
  });
});

describe('files of a project', () => {
  /** A long text with one significant line in the middle. */
  const long = (line: string) => {
    const filler = Array.from({ length: 200 }, (_, index) => `Row ${index} of the list is dull.`);
    return [...filler, line, ...filler].join('\n');
  };
  const addFile = async (id: string, name: string, text: string, headers: Headers = {}) =>
    (await post(hearth.url, `/api/v1/projects/${id}/files`, { name, text }, { headers })).body;
  const searchOf = async (id: string, headers: Headers = {}) =>
    (await get(hearth.url, `/api/v1/projects/${id}`, { headers })).body.file_search;
  const lastInput = () => lastMessages().at(-1).content as string;

  // covers api-19
  it('go whole into the first message if they are short, and later ones into the next', async () => {
    const { project_id, file_search } = await create();
    expect(file_search).toBe('whole');
    await addFile(project_id, 'tides.md', 'The moon.\n```\nx\n```');
    const { body } = await chat({ project_id, input: 'Why?' });
    const whole = 'Project file tides.md:\n\n````\nThe moon.\n```\nx\n```\n````';
    expect(lastInput()).toContain(whole);
    await chat({ previous_response_id: body.response_id, input: 'And?' });
    expect(lastInput()).toBe('And?');
    await addFile(project_id, 'salt.md', 'Salt.');
    await chat({ previous_response_id: body.response_id, input: 'Which?' });
    expect(lastInput()).toContain('Salt.');
    expect(lastInput()).not.toContain('moon');
    expect(await listed('search=why')).toMatchObject([{ title: 'Why?' }]);
  });

  // covers api-19
  it('are searched by meaning and words if they are long, for each message', async () => {
    const { project_id } = await create();
    await addFile(project_id, 'a.docx', long('Madagascar is an island of cloves.'));
    await addFile(project_id, 'b.md', long('The kraken sleeps below.'));
    await expect.poll(() => searchOf(project_id), { timeout: 60_000 }).toBe('meaning_and_words');
    const { body } = await chat({ project_id, input: 'Where is Madagascar?' });
    expect(lastInput()).toMatch(/\[1\] a\.docx, lines \d+ to \d+\n\n```\n[^`]*island of cloves/);
    expect(lastInput().length).toBeLessThan(6000);
    await chat({ previous_response_id: body.response_id, input: 'Tell me of the kraken.' });
    expect(lastInput()).toMatch(/\[1\] b\.md, [^`]*```\n[^`]*kraken sleeps/);
    const { files } = (await get(hearth.url, `/api/v1/projects/${project_id}`)).body;
    const storeId = project_id.replace('proj_', 'vs_');
    const indexed = `/v1/vector_stores/${storeId}/files`;
    const content = await get(hearth.url, `${indexed}/${files[1].file_id}/content`);
    expect(content.body.data[0].text).toContain('kraken');
    await remove(`projects/${project_id}/files/${files[1].file_id}`);
    expect((await get(hearth.url, indexed)).body.data).toHaveLength(1);
    await remove(`projects/${project_id}`);
    expect((await get(hearth.url, `/v1/vector_stores/${storeId}`)).status).toBe(404);
  });

  // covers api-20
  it('are searched by their words without an embedding model that the caller may use', async () => {
    const { token } = await withTokens(hearth.home, (tokens) =>
      tokens.create({ name: 'words', permissions: ['chat'], modelScope: ['lab/*'] }),
    );
    const headers = { authorization: `Bearer ${token}` };
    const { project_id } = await create({ name: 'Words' }, headers);
    await addFile(project_id, 'a.md', long('Madagascar is an island of cloves.'), headers);
    expect(await searchOf(project_id, headers)).toBe('words');
    await chat({ project_id, input: 'madagascar' }, headers);
    expect(lastInput()).toMatch(/\[1\] a\.md, [^`]*```\n[^`]*island of cloves/);
    expect((await chat({ project_id, input: 'xyzzy' }, headers)).status).toBe(200);
    expect(lastInput()).toBe('xyzzy');
  });
});

describe('conversations of a project', () => {
  it('begin with its instructions and its preset', async () => {
    const preset = { system_prompt: 'You rhyme.', temperature: 0.25 };
    await post(hearth.url, '/api/v1/presets/poet', preset, { method: 'PUT' });
    const { project_id } = await create({ name: 'A', instructions: 'Be brief.', preset: 'poet' });
    const { body } = await chat({ project_id });
    expect(lastMessages()[0]).toEqual({ role: 'system', content: 'Be brief.' });
    expect(JSON.parse(upstream.requests.at(-1)?.body ?? '{}')).toMatchObject({ temperature: 0.25 });
    await chat({ project_id, system_prompt: 'Be long.' });
    expect(lastMessages()[0]).toEqual({ role: 'system', content: 'Be long.' });
    const continued = await chat({ previous_response_id: body.response_id });
    expect(continued.status).toBe(200);
    expect(lastMessages()[0]).toEqual({ role: 'system', content: 'Be brief.' });
    const own = await listed(`project_id=${project_id}`);
    expect(own).toMatchObject([
      { project_id, response_count: 2 },
      { project_id, response_count: 1 },
    ]);
    expectError(await chat({ project_id, previous_response_id: body.response_id }), {
      code: 'invalid_value',
      param: 'project_id',
      message: 'continues',
    });
  });

  it('begin in it in the background, too', async () => {
    const { project_id } = await create();
    await chat({ project_id, background: true });
    expect(await listed(`project_id=${project_id}`)).toHaveLength(1);
  });

  it('move in and out, are searched in it, and stay when it is deleted', async () => {
    const { project_id } = await create();
    const { body } = await chat({ input: 'Zanzibar' });
    const [conversation] = await listed('search=zanzibar');
    const { conversation_id: id } = conversation;
    expect(conversation).toMatchObject({ project_id: null });
    expect((await patch(`conversations/${id}`, { project_id })).body).toMatchObject({ project_id });
    const search = (project: string) => listed(`search=zanzibar&project_id=${project}`);
    expect(await search(project_id)).toHaveLength(1);
    expect(await search('none')).toHaveLength(0);
    expect((await patch(`conversations/${id}`, { project_id: null })).body.project_id).toBeNull();
    await patch(`conversations/${id}`, { project_id });
    await remove(`projects/${project_id}`);
    expect(await search('none')).toMatchObject([{ project_id: null }]);
    expect((await chat({ previous_response_id: body.response_id })).status).toBe(200);
  });

  it('are those of their owner', async () => {
    const [a, b] = await twoOwners();
    const project = await create({ name: 'Of b' }, b);
    const { project_id } = project;
    await chat({ project_id }, b);
    expect(await listed(`project_id=${project_id}`, b)).toHaveLength(1);
    const missing = {
      code: 'project_not_found',
      param: 'project_id',
      message: 'no project',
    } as const;
    expectError(await chat({ project_id }, a), missing);
    await chat({}, a);
    const [{ conversation_id: id }] = await listed('', a);
    expectError(await patch(`conversations/${id}`, { project_id }, a), missing);
    const path = `/api/v1/conversations?project_id=${project_id}`;
    expectError(await get(hearth.url, path, { headers: a }), missing);
  });
});

it('lists no temporary conversation', async () => {
  const [headers] = await twoOwners();
  const before = await listed('', headers);
  const { body } = await chat({ temporary: true, input: 'Ephemeral' }, headers);
  expect((await chat({ previous_response_id: body.response_id }, headers)).status).toBe(200);
  expect(await listed('', headers)).toEqual(before);
  expect(await listed('search=ephemeral', headers)).toEqual([]);
  const found = await listed(`response_id=${body.response_id}`, headers);
  expect(found).toMatchObject([{ response_count: 2 }]);
});
