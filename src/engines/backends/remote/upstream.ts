import type { ModelEntry } from '../../../library/model.ts';

/** How the API of a remote server differs from OpenAI's. `hearth`: a linked machine. */
export type UpstreamKind = 'openai' | 'vllm' | 'sglang' | 'llama-server' | 'ollama' | 'hearth';

/** A remote server whose models Hearth serves. */
export interface Upstream {
  /** First half of the keys of its models. */
  readonly name: string;
  readonly kind: UpstreamKind;
  /** Base addresses of its replicas, such as `http://lab:8000/v1`; never empty. */
  readonly urls: readonly string[];
  /** Sent as a bearer token. */
  readonly apiKey: string | undefined;
  /** Fingerprint of the only key that its replicas may have. */
  readonly pinnedKey?: string | undefined;
  /** Header that carries a name for each conversation, by which balancers choose a replica. */
  readonly sessionHeader?: string | undefined;
  /** Requests to each model that run at the same time. */
  readonly maxConcurrent: number;
  /** Longest silence: until the headers, and between two pieces of an answer. */
  readonly timeoutMs: number;
  /**
   * The owner's declarations about models, by id; only these are served. Undefined: serves all
   * listed models.
   */
  readonly models: Readonly<Record<string, DeclaredModel>> | undefined;
}

/** The address beside a server's API. */
export function serverRoot(url: string): string {
  return url.replace(/\/v1$/u, '');
}

export interface DeclaredModel {
  /** Key of the model, in place of `<name>/<id>`. */
  readonly alias?: string | undefined;
  readonly type?: RemoteModelType | undefined;
  readonly contextLength?: number | undefined;
  /** True if the model reasons, and reasoning can be switched. */
  readonly reasoning?: boolean | undefined;
  /** True if chats may have audio. */
  readonly audio?: boolean | undefined;
}

export type RemoteModelType = 'llm' | 'vlm' | 'embeddings';

/** A model of an upstream, as far as it is known. */
export interface RemoteModel {
  readonly upstream: string;
  /** As the upstream calls it. */
  readonly id: string;
  readonly alias: string | undefined;
  readonly type: RemoteModelType;
  /** Undefined if neither the upstream nor the settings say it. */
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
