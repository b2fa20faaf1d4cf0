import type { Logger } from '../../../kernel/logger.ts';
import type { EngineHandle } from '../../engine.ts';
import type { Standing } from '../../loads/policy/choose-machine.ts';
import { CapabilityProbes } from './capability-probes.ts';
import { kindsOfServers } from './kinds.ts';
import { createRemoteEngine } from './remote-engine.ts';
import { createPacing } from './pacing.ts';
import { ReplicaSet, type ReplicaStatus } from './replica-set.ts';
import { serverRoot, type RemoteModel, type Upstream } from './upstream.ts';
import { createUpstreamClient, type UpstreamClient } from './upstream-client.ts';
import { UpstreamModels } from './upstream-models.ts';

/** The remote servers from the settings, and the linked machines. */
export interface Upstreams {
  readonly names: readonly string[];
  /** Adds an upstream, or replaces the one with the same name. */
  add(upstream: Upstream): void;
  /** Also ends the upstream's requests in flight. */
  remove(name: string): Promise<void>;
  /**
   * Reads the list of an upstream again.
   *
   * @returns the number of its models
   * @throws HearthError if the upstream does not answer.
   */
  check(name: string): Promise<number>;
  /** Rates a linked machine for one of its models; undefined if the machine can't be reached. */
  standing(name: string, id: string): Promise<Standing | undefined>;
  /**
   * Lists the models of all upstreams. For an upstream that can't be reached, lists the models of its last list and
   * of the settings.
   */
  listModels(): Promise<readonly RemoteModel[]>;
  /**
   * Reads an upstream's list again, since it lacks the model with this key. False if the key names no upstream or the
   * list was read just now.
   *
   * @throws HearthError `upstream_unavailable` if the upstream does not answer.
   */
  refresh(key: string): Promise<boolean>;
  /** Creates an engine for a model, without sending anything. */
  open(model: Pick<RemoteModel, 'upstream' | 'id'>, contextLength: number): EngineHandle;
  /** Maximum number of concurrent requests to each model. */
  maxConcurrent(upstream: string): number;
  describe(): readonly { readonly name: string; readonly replicas: readonly ReplicaStatus[] }[];
  /** Ends the requests in flight. */
  close(): Promise<void>;
}

interface UpstreamsOptions {
  readonly upstreams: readonly Upstream[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly logger: Logger;
}

export function openUpstreams({ upstreams, environment, logger }: UpstreamsOptions): Upstreams {
  const pacing = createPacing();
  const opened = new Map<string, ReturnType<typeof open>>();

  function open(upstream: Upstream) {
    const { name, urls, apiKey, pinnedKey, sessionHeader, timeoutMs } = upstream;
    const closing = new AbortController();
    const { signal } = closing;
    const client = createUpstreamClient({ apiKey, timeoutMs, environment, pinnedKey });
    const replicas = new ReplicaSet({
      upstream: name,
      urls,
      isBalanced: sessionHeader !== undefined,
      isLinked: upstream.kind === 'hearth',
      isHealthy: (url) => isHealthy(client, upstream, url, signal),
      signal,
    });
    const shared = { upstream, client, replicas };
    const models = new UpstreamModels({ ...shared, logger, signal });
    const close = async () => {
      closing.abort();
      await client.close();
    };
    return { ...shared, models, probes: new CapabilityProbes(shared), close };
  }

  const add = (upstream: Upstream) => void opened.set(upstream.name, open(upstream));
  for (const upstream of upstreams) add(upstream);
  const find = (name: string) => {
    const found = opened.get(name);
    if (found === undefined) throw new Error(`There is no upstream "${name}".`);
    return found;
  };
  return {
    get names() {
      return [...opened.keys()];
    },
    add,
    remove: async (name) => {
      const found = opened.get(name);
      opened.delete(name);
      await found?.close();
    },
    check: (name) => find(name).models.check(),
    standing: async (name, id) => opened.get(name)?.models.standing(id),
    listModels: async () =>
      (await Promise.all([...opened.values()].map(({ models }) => models.list()))).flat(),
    refresh: async (key) => {
      const name = key.slice(0, key.indexOf('/') + 1).toLowerCase();
      const named = [...opened.values()].find(
        ({ upstream }) => name === `${upstream.name.toLowerCase()}/`,
      );
      return (await named?.models.refresh()) ?? false;
    },
    open: ({ upstream: name, id }, contextLength) => {
      const found = find(name);
      return {
        engine: createRemoteEngine({ ...found, modelId: id, pacing, contextLength }),
        capabilities: {
          runtimeName: `remote-${found.upstream.kind}`,
          runtimeVersion: 'unknown',
          supportedFormats: ['remote'],
          contextLength,
          estimatesTokens: true,
        },
        // A remote engine has no process that could end; failures end single requests.
        closed: new Promise(() => {}),
        stop: async () => {},
      };
    },
    maxConcurrent: (name) => find(name).upstream.maxConcurrent * find(name).upstream.urls.length,
    describe: () =>
      [...opened].map(([name, { replicas }]) => ({ name, replicas: replicas.describe() })),
    close: async () => {
      await Promise.all([...opened.values()].map((each) => each.close()));
    },
  };
}

const maxHealthWaitMs = 5000;

/**
 * True if the server works, by its health check. If that is missing, for example behind a proxy, the list of models
 * decides.
 *
 * @param signal Ends the check; the result is then false.
 */
async function isHealthy(
  client: Pick<UpstreamClient, 'getStatus'>,
  { kind }: Pick<Upstream, 'kind'>,
  url: string,
  signal: AbortSignal,
): Promise<boolean> {
  const limited = { signal: AbortSignal.any([signal, AbortSignal.timeout(maxHealthWaitMs)]) };
  const path = kindsOfServers[kind].healthPath;
  try {
    const address = `${serverRoot(url)}${path}`;
    const status = path === undefined ? 404 : await client.getStatus(address, limited);
    const isKnown = status !== 404 && status !== 405;
    return (isKnown ? status : await client.getStatus(`${url}/models`, limited)) < 500;
  } catch {
    return false;
  }
}
