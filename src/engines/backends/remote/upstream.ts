import type { ModelEntry } from '../../../library/model.ts';

/** Kind of server, since each has its own variant of OpenAI's API. `hearth`: a linked machine. */
export type UpstreamKind = 'openai' | 'vllm' | 'sglang' | 'llama-server' | 'ollama' | 'hearth';

/** A remote server whose models Hearth serves. */
export interface Upstream {
  /** First part of the keys of the upstream's models. */
  readonly name: string;
  readonly kind: UpstreamKind;
  /** Base URLs of the replicas, such as `http://lab:8000/v1`; at least one. */
  readonly urls: readonly string[];
  /** Sent as a bearer token. */
  readonly apiKey: string | undefined;
  /** Fingerprint of the only key that the replicas may have. */
  readonly pinnedKey?: string | undefined;
  /** Request header with a name for the conversation, by which load balancers choose a replica. */
  readonly sessionHeader?: string | undefined;
  /** Maximum number of concurrent requests to each model. */
  readonly maxConcurrent: number;
  /** Time limit for connecting, for the headers, and between two pieces of an answer. */
  readonly timeoutMs: number;
  /** The owner's declarations about models, by id. Only these are served; undefined: all listed models. */
  readonly models: Readonly<Record<string, DeclaredModel>> | undefined;
}

/** The server's root URL: the base URL without the API's path. */
export function serverRoot(url: string): string {
  return url.replace(/\/v1$/u, '');
}

export interface DeclaredModel {
  /** Key of the model, in place of `<name>/<id>`. */
  readonly alias?: string | undefined;
  readonly type?: RemoteModelType | undefined;
  readonly contextLength?: number | undefined;
  /** True if reasoning can be switched on and off. */
  readonly reasoning?: boolean | undefined;
  /** True if chats may contain audio. */
  readonly audio?: boolean | undefined;
}

export type RemoteModelType = 'llm' | 'vlm' | 'embeddings' | 'reranker';

/** The known facts about an upstream's model. */
export interface RemoteModel {
  readonly upstream: string;
  /** The upstream's name for the model. */
  readonly id: string;
  readonly alias: string | undefined;
  readonly type: RemoteModelType;
  /** Undefined if neither the upstream nor the settings name it. */
  readonly contextLength: number | undefined;
  readonly reasons: boolean;
  readonly hearsAudio: boolean;
  /** Facts that a linked machine reports about the model. */
  readonly linked?: LinkedModel | undefined;
}

export type LinkedModel = Pick<
  ModelEntry,
  | 'publisher'
  | 'displayName'
  | 'architecture'
  | 'parameterLabel'
  | 'isTrainedForToolUse'
  | 'hearsAudio'
  | 'reasoning'
  | 'variants'
>;
