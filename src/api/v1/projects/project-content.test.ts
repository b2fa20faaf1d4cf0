import { assert, expect, it, vi } from 'vitest';
import {
  libraryOf,
  openFrom,
  scriptedPoolWith,
} from '../../../../test/setup/instances/scripted-pool.ts';
import { modelEntry } from '../../../../test/setup/models/model-entry.ts';
import { conversationTurn } from '../../../../test/setup/store/conversation-turn.ts';
import { temporaryStore } from '../../../../test/setup/store/temporary-store.ts';
import { testContext } from '../../../../test/setup/test-context.ts';
import { HearthError } from '../../../kernel/errors/errors.ts';
import { filePart } from '../../../chat/documents/search/project-parts.ts';
import { ProjectFiles } from '../../../chat/documents/search/project-files.ts';
import type { ChatRequest } from '../chat/chat-schema.ts';
import { projectContent } from './project-content.ts';

const context = testContext();
const one = { name: 'a.md', text: 'One' };
const two = { name: 'b.md', text: 'Two' };

/** A project with two files, and a model with a profile that sets its context. */
async function open() {
  const store = await temporaryStore();
  const fields = { name: 'Sea', instructions: '', preset: null, model: null };
  const created = await store.projects.create(null, fields, 1);
  const limits = { maxFiles: 2, maxTotalLength: 100 };
  for (const file of [one, two])
    await store.projects.addFile(created?.id ?? '', null, file, limits);
  const [project] = await store.projects.list(null);
  assert(project !== undefined);
  const library = libraryOf(modelEntry());
  const { pool } = scriptedPoolWith({
    library: {
      ...library,
      find: async (name) => ({
        ...(await library.find('test/model')),
        ...(name === 'short' && { alias: name }),
      }),
    },
    modelSettings: {
      inForce: ({ alias }) =>
        alias === undefined ? {} : { profile: alias, load: { contextLength: 1024 } },
      ofInstance: () => ({ inForce: {}, isPinned: false }),
      onChange: () => {},
    },
  });
  const refuse = async () => {
    throw new HearthError('model_not_found', 'The library has no embedding model.');
  };
  const vectorStores = { addProject: refuse, search: refuse };
  const projectFiles = new ProjectFiles({ store, vectorStores });
  const partsFor = vi.spyOn(projectFiles, 'partsFor');
  const services = { store, pool, projectFiles };
  /** The files of the next message. */
  const textsFor = async (changes: Partial<ChatRequest> = {}) => {
    const body = { model: 'test/model', input: 'Why?', ...changes };
    const parts = await projectContent(services, body, project, context);
    return parts.map((part) => (part.type === 'text' ? part.text : part.type));
  };
  const contextLengthFor = async (changes: Partial<ChatRequest>) => {
    await textsFor(changes);
    return partsFor.mock.lastCall?.[1].contextLength;
  };
  /** Stores a turn whose message begins with these texts. */
  const say = (id: string, parentId: string | null, ...texts: readonly string[]) => {
    const content = texts.map((text) => ({ type: 'text', text }) as const);
    const turn = conversationTurn({ messages: [{ role: 'user', content }] });
    const fixed = { ownerId: null, modelKey: 'test/model', modelInstanceId: 'test/model' };
    return store.responses.insert({ id, parentId, createdAt: new Date(), turn, ...fixed }, []);
  };
  return { pool, textsFor, contextLengthFor, say };
}

it('adds the files that the branch of the message lacks, whenever it began', async () => {
  const { textsFor, say } = await open();
  await say('resp_1', null, 'Hello');
  await say('resp_2', 'resp_1', filePart(one), 'Why?');
  await say('resp_3', 'resp_2', filePart(two), 'And?');
  expect(await textsFor()).toEqual([filePart(one), filePart(two)]);
  const after = (previous_response_id: string) => textsFor({ previous_response_id });
  expect(await after('resp_1')).toEqual([filePart(one), filePart(two)]);
  expect(await after('resp_2')).toEqual([filePart(two)]);
  expect(await after('resp_3')).toEqual([]);
  await expect(after('resp_4')).rejects.toMatchObject({ field: 'previousResponseId' });
});

it('measures by the context of the instance that serves the request', async () => {
  const { pool, contextLengthFor } = await open();
  const short = { model: 'short' };
  expect(await contextLengthFor({})).toBe(4096);
  expect(await contextLengthFor(short)).toBe(1024);
  await pool.load('test/model', { contextLength: 2048 }, context);
  expect(await contextLengthFor({})).toBe(2048);
  expect(await contextLengthFor(short)).toBe(1024);
  expect(await contextLengthFor({ ...short, context_length: 512 })).toBe(512);
  const session = await openFrom(pool, 'short', { contextLength: 768 });
  session.close();
  expect(await contextLengthFor(short)).toBe(768);
});
