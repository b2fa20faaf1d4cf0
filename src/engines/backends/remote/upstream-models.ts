import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import type { Logger } from '../../../kernel/logger.ts';
import { coalesceRuns } from '../../../kernel/concurrency/coalesce-runs.ts';
import { mapConcurrently } from '../../../kernel/concurrency/map-concurrently.ts';
import type { Standing } from '../../loads/policy/choose-machine.ts';
import { readLinkedModels } from './linked-models.ts';
import type { ReplicaSet } from './replica-set.ts';
import type {
  DeclaredModel,
  LinkedModel,
  RemoteModel,
  RemoteModelType,
  Upstream,
} from './upstream.ts';
import type { UpstreamClient } from './upstream-client.ts';
import { serverRoot } from './upstream.ts';
import { unavailable } from './upstream-failure.ts';

interface UpstreamModelsOptions {
  readonly upstream: Upstream;
  readonly replicas: ReplicaSet;
  readonly client: UpstreamClient;
  readonly logger: Logger;
  /** Aborts requests in flight. */
  readonly signal: AbortSignal;
}

interface KnownModel {
  readonly id: string;
  readonly type?: RemoteModelType | undefined;
  readonly contextLength?: number | undefined;
  readonly reasons?: boolean | undefined;
  readonly hearsAudio?: boolean | undefined;
  readonly linked?: LinkedModel;
  readonly standing?: Standing;
}

/** Age at which a list is read again. The old list is served meanwhile. */
const maxAgeMs = 30_000;
/** The same for a linked machine, whose list also tells which models are loaded. */
const maxLinkedAgeMs = 5000;
/** A list younger than this is not read again to find a missing model. */
const minAgeMs = 2000;
/** Time limit for asking an upstream for its models. */
const askTimeoutMs = 5000;
/** Time for which the first listing waits for an upstream. */
const firstAnswerMs = 1500;
const retryAfterSeconds = 5;
const concurrentDetails = 4;
const maxModels = 1000;

const modelList = z.object({
  data: z.array(
    z.object({
      id: z.string().min(1).max(512),
      // vLLM and SGLang
      max_model_len: z.int().positive().nullish(),
      // llama-server; Hearth
      meta: z.object({ n_ctx_train: z.int().positive().nullish() }).nullish(),
      // Ray Serve
      metadata: z.object({ max_request_context_length: z.int().positive().nullish() }).nullish(),
    }),
  ),
});
const llamaProperties = z.object({
  default_generation_settings: z.object({ n_ctx: z.int().positive() }),
  modalities: z
    .object({ vision: z.boolean().optional(), audio: z.boolean().optional() })
    .optional(),
  chat_template: z.string().optional(),
});
const ollamaDetails = z.object({
  capabilities: z.array(z.string()).optional(),
  /** Lines such as `num_ctx 8192`. */
  parameters: z.string().optional(),
  model_info: z.record(z.string(), z.unknown()).optional(),
});

const ollamaLoaded = z.object({
  models: z.array(z.object({ name: z.string(), context_length: z.int().positive().optional() })),
});

/** The models of one upstream, from the settings or else from its list. */
export class UpstreamModels {
  readonly #options: UpstreamModelsOptions;
  readonly #refresh: () => Promise<void>;
  #known: readonly KnownModel[] = [];
  #readAtMs: number | undefined;
  #failure: unknown;

  constructor(options: UpstreamModelsOptions) {
    this.#options = options;
    this.#refresh = coalesceRuns(() => this.#read());
  }

  /** Waits a moment for the first answer of the upstream; without one, lists the models of the settings. */
  async list(): Promise<readonly RemoteModel[]> {
    const reading = this.#refreshIfOld();
    if (this.#readAtMs === undefined) await Promise.race([reading, delay(firstAnswerMs)]);
    const { name, models: declared } = this.#options.upstream;
    const known = new Map(this.#known.map((model) => [model.id, model]));
    const ids = declared === undefined ? [...known.keys()] : Object.keys(declared);
    return ids.map((id) => toRemoteModel(name, known.get(id) ?? { id }, declared?.[id]));
  }

  /**
   * Rates a linked machine for one of its models; undefined if the machine can't be reached. Asks the machine first
   * if a request has failed.
   */
  async standing(id: string): Promise<Standing | undefined> {
    const reading = this.#refreshIfOld();
    if (this.#options.replicas.hasFailed) await this.#refresh();
    else if (this.#readAtMs === undefined) await reading;
    return this.#isReachable ? this.#known.find((model) => model.id === id)?.standing : undefined;
  }

  /**
   * Reads the list again.
   *
   * @returns the number of models
   * @throws HearthError if the upstream does not answer.
   */
  async check(): Promise<number> {
    await this.#refresh();
    if (this.#failure !== undefined) throw this.#failure;
    return this.#known.length;
  }

  /** True if the server's own list, as last read, contains the model. */
  lists(id: string): boolean {
    return this.#known.some((model) => model.id === id);
  }

  /**
   * Reads the list again, since a model is missing. Returns false if the list was read just now.
   *
   * @throws HearthError `upstream_unavailable` if the upstream does not answer.
   */
  async refresh(): Promise<boolean> {
    const isOld = performance.now() - (this.#readAtMs ?? -Infinity) > minAgeMs;
    if (isOld) await this.#refresh();
    if (this.#isReachable) return isOld;
    throw unavailable(
      this.#options.upstream.name,
      'it does not list its models',
      retryAfterSeconds,
    );
  }

  get #isReachable(): boolean {
    return this.#failure === undefined;
  }

  /** Reads the list again if it is old. The caller need not wait. */
  async #refreshIfOld(): Promise<void> {
    const ageMs = performance.now() - (this.#readAtMs ?? -Infinity);
    const isLinked = this.#options.upstream.kind === 'hearth';
    if (ageMs > (isLinked ? maxLinkedAgeMs : maxAgeMs)) await this.#refresh();
  }

  async #read(): Promise<void> {
    const { upstream, logger, signal } = this.#options;
    try {
      this.#known = await this.#ask(AbortSignal.any([signal, AbortSignal.timeout(askTimeoutMs)]));
      if (!this.#isReachable) logger.info({ upstream: upstream.name }, 'upstream lists its models');
      this.#failure = undefined;
    } catch (err) {
      if (signal.aborted) return;
      // The last list is kept.
      if (this.#isReachable) {
        logger.warn({ upstream: upstream.name, err }, 'upstream does not list its models');
      }
      this.#failure = err;
    } finally {
      this.#readAtMs = performance.now();
    }
  }

  async #ask(signal: AbortSignal): Promise<readonly KnownModel[]> {
    const { upstream, replicas, client } = this.#options;
    return replicas.run('models', signal, async (url) => {
      if (upstream.kind === 'hearth') {
        const address = `${serverRoot(url)}/api/v1/links/models`;
        return readLinkedModels(await client.getJson(address, { signal })).slice(0, maxModels);
      }
      const listed = modelList.parse(await client.getJson(`${url}/models`, { signal })).data;
      const { models: declared } = upstream;
      const served = listed.filter(({ id }) => declared === undefined || id in declared);
      return mapConcurrently(served.slice(0, maxModels), concurrentDetails, async (model) => ({
        id: model.id,
        contextLength:
          model.max_model_len ??
          model.metadata?.max_request_context_length ??
          model.meta?.n_ctx_train ??
          undefined,
        ...(await this.#details(url, model.id, signal).catch(() => {
          signal.throwIfAborted();
          return {};
        })),
      }));
    });
  }

  /** Facts that the list does not have, for servers that report them elsewhere. */
  async #details(url: string, id: string, signal: AbortSignal): Promise<Partial<KnownModel>> {
    const { upstream, client } = this.#options;
    const root = serverRoot(url);
    if (upstream.kind === 'llama-server') {
      const found = llamaProperties.parse(await client.getJson(`${root}/props`, { signal }));
      return {
        contextLength: found.default_generation_settings.n_ctx,
        ...(found.modalities?.vision === true ? { type: 'vlm' } : {}),
        reasons: found.chat_template?.includes('enable_thinking') ?? false,
        hearsAudio: found.modalities?.audio === true,
      };
    }
    if (upstream.kind === 'ollama') {
      const found = ollamaDetails.parse(
        await client.postJson(`${root}/api/show`, { model: id }, { signal }),
      );
      const { capabilities = [] } = found;
      const contextLength = toContextLength(found) ?? (await this.#loadedContext(root, id, signal));
      const isEmbedding = capabilities.includes('embedding');
      return {
        type: isEmbedding ? 'embeddings' : capabilities.includes('vision') ? 'vlm' : 'llm',
        contextLength: contextLength ?? trainedContext(found),
        reasons: capabilities.includes('thinking'),
        hearsAudio: capabilities.includes('audio'),
      };
    }
    return {};
  }

  /** Context length of a model that Ollama has loaded. Ollama chooses it by the memory. */
  async #loadedContext(root: string, id: string, signal: AbortSignal): Promise<number | undefined> {
    const { client } = this.#options;
    const { models } = ollamaLoaded.parse(await client.getJson(`${root}/api/ps`, { signal }));
    return models.find(({ name }) => name === id)?.context_length;
  }
}

/** Reads `num_ctx` from the parameters of Ollama's model. */
function toContextLength({ parameters = '' }: z.output<typeof ollamaDetails>): number | undefined {
  const [, length] = /^num_ctx\s+(\d{1,9})\s*$/mu.exec(parameters) ?? [];
  return length === undefined ? undefined : Number(length);
}

function trainedContext({ model_info: info = {} }: z.output<typeof ollamaDetails>) {
  const length = Object.entries(info).find(([name]) => name.endsWith('.context_length'))?.[1];
  return typeof length === 'number' ? length : undefined;
}

function toRemoteModel(
  upstream: string,
  known: KnownModel,
  declared: DeclaredModel = {},
): RemoteModel {
  return {
    upstream,
    id: known.id,
    alias: known.linked === undefined ? declared.alias : known.id,
    type: declared.type ?? known.type ?? guessType(known.id),
    contextLength: declared.contextLength ?? known.contextLength,
    reasons: declared.reasoning ?? known.reasons ?? false,
    hearsAudio: declared.audio ?? known.hearsAudio ?? false,
    linked: known.linked,
  };
}

/** Guesses the type from the name, since lists of models do not have it. */
function guessType(id: string): RemoteModelType {
  if (/rerank/iu.test(id)) return 'reranker';
  return /embed|(?:^|[-_/])(?:bge|gte|e5|minilm)(?:[-_]|$)/iu.test(id) ? 'embeddings' : 'llm';
}
