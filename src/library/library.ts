import { basename } from 'node:path';
import type { AdapterEntry, AdapterLibrary } from './adapter.ts';
import { createAdapterFit } from './adapter-fit.ts';
import { HearthError } from '../kernel/errors/errors.ts';
import type { Logger } from '../kernel/logger.ts';
import { isInScope, type ModelScope } from '../kernel/model-scope.ts';
import { type ModelFault, readableName, takeName } from './library-model.ts';
import { mapConcurrently } from '../kernel/concurrency/map-concurrently.ts';
import type { ModelAlias, ModelAliases } from './model-aliases.ts';
import type { EditableModelLibrary, ModelEntry, ModelSelection } from './model.ts';
import { createRepositoryReader, type RepositoryModels } from './read-repository.ts';
import { planRemoval, type RemovalCandidate } from './removal/plan-removal.ts';
import { removeFiles } from './removal/remove-files.ts';
import { createFolderScanner } from './scan-folders.ts';
import { watchFolders } from './watch-folders.ts';
import { omitUndefined } from '../kernel/omit-undefined.ts';
import type { ModelRoot, ScannedRepository } from './scan-repository.ts';
import { isUnchanged } from './scanned-file.ts';
import {
  type LibraryContent,
  resolveIdentifier,
  selectAdapter,
  selectModel,
} from './select-model.ts';
import { Mutex } from '../kernel/concurrency/semaphore.ts';
import { coalesceRuns } from '../kernel/concurrency/coalesce-runs.ts';

interface ModelLibraryOptions {
  /** Folders with models. If two have the same key, the first root wins. */
  readonly roots: readonly ModelRoot[];
  readonly logger: Logger;
  /** Additional names for models; none if absent. */
  readonly aliases?: Pick<ModelAliases, 'list'>;
  /** The models of remote servers; none if absent. */
  readonly remoteModels?: () => Promise<readonly RemoteModelFacts[]>;
  /**
   * Asks the remote server of an unknown key for its models again. Returns false if the key belongs to no server;
   * throws if the server does not answer.
   */
  readonly refreshRemote?: (key: string) => Promise<boolean>;
  /** Aborts reads in progress. */
  readonly signal: AbortSignal;
  /** Watches the folders and does not scan unchanged ones again. Useful for a process that lists often. */
  readonly watchesFolders?: boolean;
}

interface Scan extends LibraryContent {
  readonly foundByKey: ReadonlyMap<string, RemovalCandidate>;
  readonly atMs: number;
}

/** Repositories whose headers are read at the same time. */
const concurrentRepositories = 8;
/**
 * Maximum age at which a scan is used again: by `find` if the model's own files have not changed, by `list` if the
 * watched folders have not. Changes that do not show in a folder, such as changes of a linked file, take this long to
 * appear.
 */
const maxScanAgeMs = 2000;

/**
 * The models under `roots`. A call scans the folders unless they are watched and unchanged, so changes are detected.
 * Headers are cached until their file changes, and concurrent calls share a scan.
 */
export function createModelLibrary({
  roots,
  logger,
  aliases,
  remoteModels = async () => [],
  refreshRemote = async () => false,
  signal,
  watchesFolders = false,
}: ModelLibraryOptions): EditableModelLibrary & AdapterLibrary {
  const watch = watchesFolders ? watchFolders(signal) : undefined;
  const scanner = createFolderScanner(signal);
  const reader = createRepositoryReader(signal);
  const logFaults = createFaultLog(logger);
  const findMisfit = createAdapterFit(signal);
  let local: Scan | null = null;
  /** Local and remote models. */
  let latest: Scan | null = null;
  // Removals run one at a time, so that each sees the result of the previous one.
  const removals = new Mutex();

  const scan = coalesceRuns(async () => {
    const unreadable = new Map<string, unknown>();
    watch?.beginScan();
    const repositories = await scanner.scan(roots, {
      onUnreadable: (path, error) => unreadable.set(path, error),
      ...omitUndefined({ onFolder: watch?.add }),
    });
    const read = await mapConcurrently(repositories, concurrentRepositories, (repository) =>
      reader.read(repository),
    );
    reader.forgetUnused();
    logFaults(read, unreadable);
    local = assignKeys(repositories, read);
    watch?.endScan();
    latest = withRemoteModels(local, await remoteModels());
    return latest;
  });

  /** The last scan of the folders, if nothing has changed since then. */
  const known = (): Scan | null =>
    watch?.isUnchanged === true && local !== null && isRecent(local) ? local : null;

  async function adaptersFor(selection: ModelSelection): Promise<readonly AdapterEntry[]> {
    const { adapters } = known() ?? (await scan());
    const misfits = await Promise.all(adapters.map((each) => findMisfit(each, selection)));
    return adapters.filter((_, index) => misfits[index] === undefined);
  }

  return {
    async list() {
      const unchanged = known();
      if (unchanged !== null) return withRemoteModels(unchanged, await remoteModels()).models;
      return (await scan()).models;
    },
    listAdapters: async () => (known() ?? (await scan())).adapters,
    adaptersFor,
    async findAdapter(identifier, selection) {
      const adapter = await selectAdapter(known() ?? (await scan()), identifier, async () =>
        (await adaptersFor(selection)).map(({ key }) => key),
      );
      const misfit = await findMisfit(adapter, selection);
      if (misfit === undefined) return adapter;
      const base = adapter.baseModel === null ? '' : `, an adapter for ${adapter.baseModel},`;
      throw new HearthError(
        'invalid_value',
        `${adapter.key}${base} does not fit ${selection.model.key}: ${misfit}.`,
      );
    },
    async find(identifier, scope) {
      const names = (await aliases?.list()) ?? [];
      if (latest !== null && isRecent(latest)) {
        const selection = await selectUnchanged(latest, identifier, names, scope);
        if (selection !== null) return selection;
      }
      try {
        return selectModel(await scan(), identifier, names, scope);
      } catch (error) {
        if (!(error instanceof HearthError) || error.code !== 'model_not_found') throw error;
        if (!(await refreshRemote(identifier))) throw error;
        return selectModel(await scan(), identifier, names, scope);
      }
    },
    remove(identifier, assertUnused, scope) {
      return removals.run(async () => {
        const content = await scan();
        const { key, variantId } = resolveIdentifier(content, identifier, scope);
        const found = content.foundByKey.get(key);
        if (found === undefined) {
          throw new HearthError(
            'conflict',
            `${key} is a model of another server; remove it there, end the link, or remove the server from the setting "upstreams".`,
            { field: 'model' },
          );
        }
        const plan = planRemoval(found, variantId);
        const { publisher, name } = plan.repository;
        const repositoryName = `${publisher}/${name}`.toLowerCase();
        await assertUnused({ key, repositoryName, files: plan.files });
        const freedBytes = await removeFiles(plan);
        return { name: plan.variantId === null ? key : `${key}@${plan.variantId}`, freedBytes };
      });
    },
  };
}

/** Restricts a library to the models that a caller may use. */
export function libraryWithin(
  scope: ModelScope,
  library: EditableModelLibrary & AdapterLibrary,
): EditableModelLibrary & AdapterLibrary {
  if (scope === null) return library;
  return {
    ...library,
    list: async () => (await library.list()).filter(({ key }) => isInScope(scope, key)),
    find: (identifier) => library.find(identifier, scope),
    remove: (identifier, assertUnused) => library.remove(identifier, assertUnused, scope),
  };
}

function isRecent({ atMs }: Scan): boolean {
  return performance.now() - atMs < maxScanAgeMs;
}

/** Selects a model from a scan; null if the scan has no such model or the model's files have changed. */
async function selectUnchanged(
  scan: Scan,
  identifier: string,
  aliases: readonly ModelAlias[],
  scope: ModelScope | undefined,
) {
  try {
    const selection = selectModel(scan, identifier, aliases, scope);
    const files = scan.foundByKey.get(selection.model.key)?.model.files ?? [];
    const same = await Promise.all(files.map(isUnchanged));
    return same.every(Boolean) ? selection : null;
  } catch {
    return null;
  }
}

function assignKeys(
  repositories: readonly ScannedRepository[],
  read: readonly RepositoryModels[],
): Scan {
  const taken = new Set<string>();
  const models: ModelEntry[] = [];
  const adapters: AdapterEntry[] = [];
  const faults: (ModelFault & { key: string })[] = [];
  const foundByKey = new Map<string, RemovalCandidate>();
  for (const [index, repository] of repositories.entries()) {
    const { publisher } = repository;
    const all = read[index]?.models ?? [];
    for (const model of all) {
      const key = takeName(
        model.names.map((name) => `${publisher}/${name}`),
        taken,
      );
      if (model.entry !== null) models.push({ key, ...model.entry });
      if (model.adapter !== undefined) adapters.push({ key, ...model.adapter });
      faults.push(...model.faults.map((fault) => ({ ...fault, key })));
      const others = all.filter((other) => other !== model);
      foundByKey.set(key, { key, model, repository, others });
    }
  }
  models.sort((left, right) => (left.key < right.key ? -1 : 1));
  adapters.sort((left, right) => (left.key < right.key ? -1 : 1));
  return { models, adapters, faults, foundByKey, atMs: performance.now() };
}

/**
 * Adds the models of remote servers. If a local model has the same key as a linked machine's model, it is kept and
 * lists the other in `elsewhere`.
 */
function withRemoteModels(scan: Scan, remote: readonly RemoteModelFacts[]): Scan {
  if (remote.length === 0) return scan;
  const byKey = new Map(scan.models.map((model) => [model.key, model]));
  const taken = new Set([...scan.adapters, ...scan.faults].map(({ key }) => key));
  for (const entry of remote.map(remoteModelEntry)) {
    const first = byKey.get(entry.key);
    if (first === undefined) {
      if (!taken.has(entry.key)) byKey.set(entry.key, entry);
    } else if (entry.machine !== undefined && entry.type === first.type) {
      byKey.set(entry.key, { ...first, elsewhere: [...(first.elsewhere ?? []), entry] });
    }
  }
  const models = [...byKey.values()].toSorted((left, right) => (left.key < right.key ? -1 : 1));
  return { ...scan, models };
}

/** Logs each error once, and again after its file has changed. */
function createFaultLog(logger: Logger) {
  let logged = new Set<string>();
  return (read: readonly RepositoryModels[], unreadable: ReadonlyMap<string, unknown>): void => {
    const seen = new Set<string>();
    const log = (id: string, fields: object, message: string): void => {
      seen.add(id);
      if (!logged.has(id)) logger.warn(fields, message);
    };
    const faults = read.flatMap((repository) => [
      ...repository.faults,
      ...repository.models.flatMap((model) => model.faults),
    ]);
    for (const { file, error } of faults)
      log(
        `${file.path}\n${file.fingerprint}\n${error.message}`,
        { path: file.path, reason: error.message },
        'A model file is left out of the library',
      );
    for (const [path, error] of unreadable)
      log(path, { path, error: String(error) }, `${basename(path)} can't be read`);
    logged = seen;
  };
}

/** A model of a remote server. */
interface RemoteModelFacts {
  readonly upstream: string;
  /** Id of the model on the server. */
  readonly id: string;
  /** Key to use instead of `<upstream>/<id>`. */
  readonly alias: string | undefined;
  readonly type: ModelEntry['type'];
  /** Undefined if unknown. */
  readonly contextLength: number | undefined;
  readonly reasons: boolean;
  readonly hearsAudio: boolean;
  /** Facts that a linked machine reports about the model. */
  readonly linked?: Partial<ModelEntry> | undefined;
}

/** Used if a server does not report the model's context length. Larger than any, so that the server decides. */
const unknownContextLength = 1_048_576;

/** The library's entry for a remote model. It has one variant, whose path is the id of the model on the server. */
function remoteModelEntry(facts: RemoteModelFacts): ModelEntry {
  const { upstream, id, alias, type, contextLength, reasons, hearsAudio, linked } = facts;
  return {
    key: (alias ?? `${upstream}/${id}`).toLowerCase(),
    publisher: upstream,
    displayName: readableName(id.slice(id.lastIndexOf('/') + 1)),
    type,
    format: 'remote',
    architecture: 'unknown',
    parameterLabel: null,
    maxContextLength: contextLength ?? unknownContextLength,
    // Unknown: the server reports an error if the model can't use tools.
    isTrainedForToolUse: type === 'llm' || type === 'vlm',
    reasoning: reasons ? { allowedOptions: ['off', 'on'], default: 'on' } : null,
    supportsInfill: false,
    hearsAudio,
    projectorPath: null,
    description: null,
    variants: [{ id: 'remote', quantization: null, path: id, files: [], sizeBytes: 0 }],
    projector: null,
    attention: null,
    dimensions: null,
    tokenizer: null,
    ...(linked === undefined ? {} : { ...linked, machine: upstream, supportsInfill: true }),
  };
}
