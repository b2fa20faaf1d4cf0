import { HearthError } from '../../../kernel/errors/errors.ts';
import { describeNames } from '../../../kernel/format.ts';
import { omitUndefined } from '../../../kernel/omit-undefined.ts';
import type { NamedRecord, NamedRecordKey, NamedRecordKind } from '../../../store/named-record.ts';
import type { Store } from '../../../store/store.ts';
import type { RequestContext } from '../../../kernel/request/request-context.ts';
import { mount, type App } from '../../kit/mount.ts';
import type { Route } from '../../kit/route.ts';
import type { ApiServices } from '../../services.ts';
import { deletePreset, getPreset, listPresets, putPreset } from './preset-schema.ts';
import { deletePrompt, getPrompt, listPrompts, putPrompt } from './prompt-schema.ts';

/** Maximum records per owner and kind. */
const maxRecords = 200;
/** Maximum characters of a record as JSON. */
const maxContentLength = 64 * 1024;

export function mountPresets(app: App, { store }: ApiServices): void {
  mountRecords(app, store, 'preset', {
    list: listPresets,
    get: getPreset,
    put: putPreset,
    remove: deletePreset,
  });
  mountRecords(app, store, 'prompt', {
    list: listPrompts,
    get: getPrompt,
    put: putPrompt,
    remove: deletePrompt,
  });
}

function mountRecords(
  app: App,
  store: Store,
  kind: NamedRecordKind,
  routes: Readonly<Record<'list' | 'get' | 'put' | 'remove', Route>>,
): void {
  // The name parameter differs between the routes of both kinds.
  const keyOf = (params: unknown, { caller }: RequestContext): NamedRecordKey => {
    const { [kind]: name } = params as Readonly<Record<NamedRecordKind, string>>;
    return { kind, ownerId: caller.tokenId, name };
  };

  mount(app, routes.list, async ({ context }) => {
    const records = await store.namedRecords.list(kind, context.caller.tokenId);
    return { [`${kind}s`]: records.map(toWire) };
  });

  mount(app, routes.get, async ({ params, context }) =>
    toWire(await findRecord(store, keyOf(params, context))),
  );

  mount(app, routes.put, async ({ params, body, context }) => {
    const key = keyOf(params, context);
    const { revision, ...fields } = body as unknown as { readonly revision?: number };
    const content = omitUndefined(fields);
    await assertRoom(store, key, content);
    const stored = await store.namedRecords.put(key, content, revision);
    if (stored !== undefined) return toWire(stored);
    const { revision: present } = await findRecord(store, key);
    throw new HearthError(
      'conflict',
      `The ${kind} ${JSON.stringify(key.name)} has revision ${present}, not ${revision}: read it again.`,
      { param: 'revision' },
    );
  });

  mount(app, routes.remove, async ({ params, context }) => {
    const key = keyOf(params, context);
    if (!(await store.namedRecords.delete(key))) throw await recordNotFound(store, key);
    return { name: key.name, deleted: true };
  });
}

/** @throws HearthError `preset_not_found`, `prompt_not_found`; the message lists the existing names. */
export async function findRecord(store: Store, key: NamedRecordKey): Promise<NamedRecord> {
  const record = await store.namedRecords.find(key);
  if (record === undefined) throw await recordNotFound(store, key);
  return record;
}

async function recordNotFound(store: Store, { kind, ownerId, name }: NamedRecordKey) {
  const names = await store.namedRecords.names(kind, ownerId);
  const message = `There is no ${kind} ${JSON.stringify(name)}. ${describeNames(names)}`;
  return new HearthError(`${kind}_not_found`, message, { param: kind });
}

/** @throws HearthError `invalid_value` */
async function assertRoom(store: Store, key: NamedRecordKey, content: object): Promise<void> {
  const refuse = (message: string): never => {
    throw new HearthError('invalid_value', message);
  };
  if (JSON.stringify(content).length > maxContentLength) {
    refuse(`A ${key.kind} has ${maxContentLength} characters of JSON at most.`);
  }
  const names = await store.namedRecords.names(key.kind, key.ownerId);
  if (names.length < maxRecords || names.includes(key.name)) return;
  refuse(`There are ${maxRecords} ${key.kind}s, which is the limit. Delete one of them first.`);
}

function toWire({ name, content, revision, updatedAt }: NamedRecord) {
  return { ...(content as object), name, revision, updated_at: updatedAt.toISOString() };
}
