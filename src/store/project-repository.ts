import { randomBytes } from 'node:crypto';
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import { HearthError } from '../kernel/errors/errors.ts';
import {
  projectFilePrefix,
  vectorStoreOf,
  type ProjectFile,
  type ProjectRepository,
  type StoredProject,
} from './project.ts';
import type { Schema } from './schema.ts';
import type { Transactions } from './transactions.ts';
import { removeFromVectorStores, removeVectorStore } from './vector-stores/remove-passages.ts';

const lengthOfText = sql<number>`length(text)`.as('length');

/** Projects in any database that Kysely supports. */
export function createProjectRepository(
  database: Kysely<Schema>,
  transactions: Transactions,
  onDelete: () => void,
): ProjectRepository {
  const changeOwn = <Result>(
    id: string,
    ownerId: string | null,
    work: (transaction: Transaction<Schema>) => Promise<Result>,
  ) =>
    transactions.change(async (transaction) =>
      (await hasProject(transaction, id, ownerId)) ? work(transaction) : undefined,
    );

  return {
    list: (ownerId) => read(database, ownerId),
    find: async (id, ownerId) => (await read(database, ownerId, id))[0],
    create: (ownerId, fields, maxProjects) =>
      transactions.change(async (transaction) => {
        const { count } = await ownProjects(transaction, ownerId)
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .executeTakeFirstOrThrow();
        if (count >= maxProjects) return undefined;
        const id = `proj_${randomBytes(12).toString('hex')}`;
        const now = new Date().toISOString();
        await transaction
          .insertInto('projects')
          .values({
            ...fields,
            id,
            owner_id: ownerId,
            revision: 1,
            created_at: now,
            updated_at: now,
          })
          .execute();
        return (await read(transaction, ownerId, id))[0];
      }),
    update: (id, ownerId, changes, revision) => {
      onDelete();
      return transactions.change(async (transaction) => {
        const { numUpdatedRows } = await transaction
          .updateTable('projects')
          .where('id', '=', id)
          .where('owner_id', ownerId === null ? 'is' : '=', ownerId)
          .$if(revision !== undefined, (query) => query.where('revision', '=', revision ?? 0))
          .set((expression) => ({
            ...changes,
            revision: expression('revision', '+', 1),
            updated_at: new Date().toISOString(),
          }))
          .executeTakeFirst();
        return numUpdatedRows === 0n ? undefined : (await read(transaction, ownerId, id))[0];
      });
    },
    delete: async (id, ownerId) => {
      onDelete();
      const deleted = await changeOwn(id, ownerId, (transaction) =>
        transaction.deleteFrom('projects').where('id', '=', id).execute(),
      );
      if (deleted !== undefined) await removeVectorStore(database, vectorStoreOf({ id }));
      return deleted !== undefined;
    },
    addFile: async (id, ownerId, { name, text }, { maxFiles, maxTotalLength }) => {
      const added = await changeOwn(id, ownerId, async (transaction) => {
        const files = await filesOf(transaction, [id]);
        const total = files.reduce((sum, { length }) => sum + length, text.length);
        const newest = Date.parse(files.at(-1)?.created_at ?? '') || 0;
        if (files.length >= maxFiles || total > maxTotalLength) return 'full' as const;
        const file = {
          id: projectFilePrefix + randomBytes(12).toString('hex'),
          name,
          length: text.length,
          // Keeps the order in which files were added, even within a millisecond.
          createdAt: new Date(Math.max(Date.now(), newest + 1)),
        };
        await transaction
          .insertInto('project_files')
          .values({
            id: file.id,
            project_id: id,
            name,
            text,
            created_at: file.createdAt.toISOString(),
          })
          .execute();
        return file;
      });
      if (added === undefined) throw projectNotFound(id);
      return added === 'full' ? undefined : added;
    },
    readFile: async (id, ownerId, fileId) => {
      if (!(await hasProject(database, id, ownerId))) return undefined;
      const row = await database
        .selectFrom('project_files')
        .where('project_id', '=', id)
        .where('id', '=', fileId)
        .selectAll()
        .executeTakeFirst();
      return row && { ...toFile({ ...row, length: row.text.length }), text: row.text };
    },
    textOf: async (fileId) => {
      const row = await database
        .selectFrom('project_files')
        .where('id', '=', fileId)
        .select('text')
        .executeTakeFirst();
      return row?.text;
    },
    ofConversation: async (named, ownerId) => {
      const row = await database
        .selectFrom('conversations')
        .where('project_id', 'is not', null)
        .where('conversations.id', '=', (entries) =>
          'id' in named
            ? entries.val(named.id)
            : entries
                .selectFrom('conversation_entries')
                .where('response_id', '=', named.responseId)
                .select('conversation_id'),
        )
        .select('project_id')
        .executeTakeFirst();
      return row?.project_id == null
        ? undefined
        : (await read(database, ownerId, row.project_id))[0];
    },
    deleteFile: async (id, ownerId, fileId) => {
      onDelete();
      const deleted = await changeOwn(id, ownerId, (transaction) =>
        transaction
          .deleteFrom('project_files')
          .where('project_id', '=', id)
          .where('id', '=', fileId)
          .executeTakeFirst(),
      );
      if (deleted === undefined || deleted.numDeletedRows === 0n) return false;
      await removeFromVectorStores(database, fileId);
      return true;
    },
  };
}

/** True if the owner has the project. */
export async function hasProject(
  database: Kysely<Schema>,
  id: string,
  ownerId: string | null,
): Promise<boolean> {
  if (id === '') return false;
  const row = await ownProjects(database, ownerId)
    .where('id', '=', id)
    .select('id')
    .executeTakeFirst();
  return row !== undefined;
}

export function projectNotFound(id: string): HearthError {
  return new HearthError(
    'project_not_found',
    `There is no project "${id}". GET /api/v1/projects lists the existing ones.`,
    { param: 'project_id' },
  );
}

function ownProjects(database: Kysely<Schema>, ownerId: string | null) {
  return database.selectFrom('projects').where('owner_id', ownerId === null ? 'is' : '=', ownerId);
}

/** Reads one project of an owner, or all, sorted by name. */
async function read(
  database: Kysely<Schema>,
  ownerId: string | null,
  id?: string,
): Promise<readonly StoredProject[]> {
  const rows = await ownProjects(database, ownerId)
    .$if(id !== undefined, (query) => query.where('id', '=', id ?? ''))
    .orderBy('name')
    .orderBy('id')
    .selectAll()
    .execute();
  const files = await filesOf(
    database,
    rows.map((row) => row.id),
  );
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    instructions: row.instructions,
    preset: row.preset,
    model: row.model,
    revision: row.revision,
    createdAt: new Date(row.created_at),
    updatedAt: new Date(row.updated_at),
    files: files.filter((file) => file.project_id === row.id).map(toFile),
  }));
}

/** Files without their texts, oldest first. */
async function filesOf(database: Kysely<Schema>, projectIds: readonly string[]) {
  if (projectIds.length === 0) return [];
  return database
    .selectFrom('project_files')
    .where('project_id', 'in', projectIds)
    .orderBy('created_at')
    .orderBy('id')
    .select(['id', 'project_id', 'name', 'created_at', lengthOfText])
    .execute();
}

function toFile(
  row: Pick<Selectable<Schema['project_files']>, 'id' | 'name' | 'created_at'> & {
    readonly length: number;
  },
): ProjectFile {
  return { id: row.id, name: row.name, length: row.length, createdAt: new Date(row.created_at) };
}
