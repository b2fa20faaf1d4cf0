import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { temporaryStore } from '../../test/setup/store/temporary-store.ts';
import { conversationTurn } from '../../test/setup/store/conversation-turn.ts';
import { vectorStoreOf, type ProjectFields, type StoredProject } from './project.ts';
import type { Store } from './store.ts';

let store: Store;
beforeEach(async () => {
  store = await temporaryStore();
});

const fields: ProjectFields = { name: 'Sea', instructions: 'Be brief.', preset: null, model: null };

async function create(name = 'Sea', ownerId: string | null = 'me'): Promise<StoredProject> {
  const project = await store.projects.create(ownerId, { ...fields, name }, 3);
  if (project === undefined) throw new Error('There are too many projects.');
  return project;
}

describe('projects', () => {
  it('lists those of an owner by name, up to the limit', async () => {
    const [b] = [await create('b'), await create('a'), await create('c'), await create('x', null)];
    const namesOf = async (ownerId: string | null) =>
      (await store.projects.list(ownerId)).map(({ name }) => name);
    expect(await namesOf('me')).toEqual(['a', 'b', 'c']);
    expect(await namesOf('them')).toEqual([]);
    expect(await store.projects.create('me', fields, 3)).toBeUndefined();
    expect(await store.projects.find(b.id, 'me')).toEqual(b);
    for (const other of ['them', null]) {
      expect(await store.projects.find(b.id, other)).toBeUndefined();
    }
  });

  it('changes only the expected revision of an own project', async () => {
    const { id } = await create();
    const rename = (name: string, revision?: number, ownerId: string | null = 'me') =>
      store.projects.update(id, ownerId, { name }, revision);
    expect(await rename('One', 1)).toMatchObject({
      name: 'One',
      revision: 2,
      instructions: 'Be brief.',
    });
    expect(await rename('Two', 1)).toBeUndefined();
    await store.projects.update(id, 'me', { preset: 'poet' });
    expect(await store.projects.update(id, 'me', { preset: null })).toMatchObject({ preset: null });
    expect(await rename('Two')).toMatchObject({ name: 'Two', revision: 5 });
    expect(await rename('Three', undefined, 'them')).toBeUndefined();
    expect(await rename('Three', undefined, null)).toBeUndefined();
  });

  it('keeps files up to the limits', async () => {
    const { id } = await create();
    const limits = { maxFiles: 2, maxTotalLength: 10 };
    const add = (text: string, ownerId: string | null = 'me') =>
      store.projects.addFile(id, ownerId, { name: 'a.txt', text }, limits);
    const file = await add('12345');
    expect(file).toMatchObject({ name: 'a.txt', length: 5 });
    expect(await add('123456')).toBeUndefined();
    await add('1');
    expect(await add('1')).toBeUndefined();
    await expect(add('1', 'them')).rejects.toMatchObject({ code: 'project_not_found' });
    expect((await store.projects.find(id, 'me'))?.files).toHaveLength(2);
    const fileId = file?.id ?? '';
    expect(await store.projects.readFile(id, 'me', fileId)).toEqual({ ...file, text: '12345' });
    expect(await store.projects.readFile(id, 'them', fileId)).toBeUndefined();
    const other = await create('Other');
    expect(await store.projects.readFile(other.id, 'me', fileId)).toBeUndefined();
    expect(await store.projects.deleteFile(other.id, 'me', fileId)).toBe(false);
    expect(await store.projects.deleteFile(id, 'them', fileId)).toBe(false);
    expect(await store.projects.deleteFile(id, 'me', fileId)).toBe(true);
    expect(await store.projects.deleteFile(id, 'me', fileId)).toBe(false);
  });

  it('are deleted with their files; their conversations stay', async () => {
    const { id } = await create();
    const limits = { maxFiles: 2, maxTotalLength: 10 };
    await store.projects.addFile(id, 'me', { name: 'a.txt', text: 'a' }, limits);
    await begin('a', { projectId: id });
    expect(await store.projects.delete(id, 'them')).toBe(false);
    expect(await store.projects.delete(id, 'me')).toBe(true);
    expect(await store.projects.delete(id, 'me')).toBe(false);
    expect(await projectsOf()).toEqual([null]);
  });

  it('move to another owner with their conversations, and are deleted with them', async () => {
    const { id } = await create();
    await begin('a', { projectId: id });
    await store.owners.move('me', 'them');
    expect(await store.projects.list('me')).toEqual([]);
    expect(await store.projects.find(id, 'them')).toMatchObject({ name: 'Sea' });
    expect(await projectsOf('them')).toEqual([id]);
    await store.owners.delete('them');
    expect(await store.projects.list('them')).toEqual([]);
  });
});

describe('files of projects', () => {
  it('stay in their order, also those of one millisecond', async () => {
    const { id } = await create();
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const names = Array.from({ length: 8 }, (_, index) => `${index}.md`);
    const limits = { maxFiles: 8, maxTotalLength: 100 };
    for (const name of names) await store.projects.addFile(id, 'me', { name, text: '' }, limits);
    const found = await store.projects.find(id, 'me');
    expect(found?.files.map(({ name }) => name)).toEqual(names);
  });
});

describe('vector stores of projects', () => {
  const limits = { maxFiles: 2, maxTotalLength: 10 };
  const addTo = (id: string, name: string) =>
    store.projects.addFile(id, 'me', { name, text: name }, limits);

  it('name the files, and lose those that are deleted, and are deleted with the project', async () => {
    const project = await create();
    const [a, b] = [await addTo(project.id, 'a.md'), await addTo(project.id, 'b.md')];
    expect(await store.projects.textOf(a?.id ?? '')).toBe('a.md');
    expect(await store.projects.textOf('file_none')).toBeUndefined();
    const vectorStoreId = vectorStoreOf(project);
    const createdAt = new Date();
    await store.vectorStores.insert({
      id: vectorStoreId,
      ownerId: 'me',
      name: '',
      metadata: {},
      embeddingModel: 'test/embed',
      expiresAfterDays: null,
      createdAt,
    });
    const added = { vectorStoreId, batchId: null, attributes: {}, createdAt };
    const chunking = { maxTokens: 10, overlapTokens: 0 };
    await store.vectorStores.addFiles(
      [a, b].map((file) => ({ ...added, chunking, fileId: file?.id ?? '' })),
    );
    const names = async () =>
      (await store.vectorStores.files({ vectorStoreId }))
        .map(({ filename }) => filename)
        .toSorted();
    expect(await names()).toEqual(['a.md', 'b.md']);
    await store.projects.deleteFile(project.id, 'them', a?.id ?? '');
    expect(await names()).toHaveLength(2);
    await store.projects.deleteFile(project.id, 'me', a?.id ?? '');
    expect(await names()).toEqual(['b.md']);
    await store.projects.delete(project.id, 'them');
    expect(await names()).toEqual(['b.md']);
    await store.projects.delete(project.id, 'me');
    expect(await store.vectorStores.find(vectorStoreId, 'me')).toBeUndefined();
    expect(await names()).toEqual([]);
  });
});

describe('conversations of projects', () => {
  it('tell their project to its owner', async () => {
    const { id } = await create();
    const responseId = await begin('a', { projectId: id });
    const conversationId = (await store.conversations.idOf(responseId)) ?? '';
    for (const named of [{ responseId }, { id: conversationId }]) {
      expect(await store.projects.ofConversation(named, 'me')).toMatchObject({ id });
      expect(await store.projects.ofConversation(named, 'them')).toBeUndefined();
    }
    expect(await store.projects.ofConversation({ id: 'conv_none' }, 'me')).toBeUndefined();
    const outside = await begin('b');
    const none = await store.projects.ofConversation({ responseId: outside }, 'me');
    expect(none).toBeUndefined();
  });

  it('begin in a project, and move out and in', async () => {
    const { id } = await create();
    await begin('a', { projectId: id });
    const [conversation] = (await store.conversations.page({ ownerId: 'me', limit: 10 }))
      .conversations;
    const move = (projectId: string | null) =>
      store.conversations.update(conversation?.id ?? '', 'me', { projectId });
    const listed = async (projectId: string | null) =>
      (await store.conversations.page({ ownerId: 'me', limit: 10, projectId })).conversations
        .length;
    expect([await listed(id), await listed(null)]).toEqual([1, 0]);
    expect(await move(null)).toMatchObject({ projectId: null });
    expect([await listed(id), await listed(null)]).toEqual([0, 1]);
    expect(await move(id)).toMatchObject({ projectId: id });
    const foreign = await create('Other', 'them');
    await expect(move(foreign.id)).rejects.toMatchObject({ code: 'project_not_found' });
  });

  it('begin outside where the project is not of the owner, or was deleted', async () => {
    const { id } = await create('Other', 'them');
    await begin('a', { projectId: id });
    await begin('b', { projectId: 'proj_deleted' });
    expect(await projectsOf()).toEqual([null, null]);
  });

  it('are searched within their project', async () => {
    const { id } = await create();
    await begin('a', { projectId: id });
    await begin('b');
    const found = await store.conversations.page({
      ownerId: 'me',
      limit: 10,
      search: 'hello',
      projectId: id,
    });
    expect(found.conversations.map(({ projectId }) => projectId)).toEqual([id]);
  });
});

it('hides temporary conversations and finds those that were left', async () => {
  await begin('a', { isTemporary: true });
  await begin('b');
  expect(await projectsOf()).toHaveLength(1);
  const leftTemporary = (before: Date) => store.conversations.leftTemporary(before);
  expect(await leftTemporary(new Date(Date.now() - 1000))).toBeUndefined();
  const left = await leftTemporary(new Date(Date.now() + 1000));
  expect(left?.ownerId).toBe('me');
  await store.conversations.delete(left?.id ?? '', 'me');
  expect(await leftTemporary(new Date(Date.now() + 1000))).toBeUndefined();
});

async function begin(
  name: string,
  begun: { readonly projectId?: string; readonly isTemporary?: boolean } = {},
): Promise<string> {
  const id = `resp_${Buffer.from(name).toString('hex').padEnd(48, '0')}`;
  const turn = conversationTurn({
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
  });
  const response = { id, parentId: null, ownerId: 'me', createdAt: new Date(), turn };
  const model = { modelKey: 'test/model', modelInstanceId: 'test/model' };
  await store.responses.insert({ ...response, ...model }, [], undefined, begun);
  return id;
}

async function projectsOf(ownerId = 'me') {
  const { conversations } = await store.conversations.page({ ownerId, limit: 10 });
  return conversations.map(({ projectId }) => projectId);
}
