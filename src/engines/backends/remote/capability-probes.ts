import { createSingleFlight } from '../../../kernel/concurrency/single-flight.ts';
import type { RequestContext } from '../../../kernel/request/request-context.ts';
import type { Feature } from '../wire/dialect.ts';
import { lackingFeature } from '../wire/request-body.ts';
import type { ReplicaSet } from './replica-set.ts';
import type { Upstream } from './upstream.ts';
import type { UpstreamClient } from './upstream-client.ts';
import { isRefusedRequest } from './upstream-failure.ts';

interface ProbesOptions {
  readonly upstream: Pick<Upstream, 'name'>;
  readonly replicas: ReplicaSet;
  readonly client: UpstreamClient;
}

/** Time for which a feature counts as unsupported. Limited, since servers may be restarted with other options. */
const lackingForMs = 10 * 60_000;

/**
 * Finds out which features a remote model supports. Tests each feature on its first use with a request that generates
 * one token. A feature that works is not tested again.
 */
export class CapabilityProbes {
  readonly #options: ProbesOptions;
  readonly #supported = new Set<string>();
  readonly #lacking = new Map<string, { readonly reason: string; readonly untilMs: number }>();
  readonly #running = createSingleFlight<void, never>();

  constructor(options: ProbesOptions) {
    this.#options = options;
  }

  /**
   * @param field Request field that needs the feature.
   * @throws HearthError `invalid_value` if the server lacks the feature; the signal's reason.
   */
  async assert(
    modelId: string,
    feature: Feature,
    field: string,
    context: RequestContext,
  ): Promise<void> {
    const key = JSON.stringify([modelId, feature]);
    if (probeFields[feature] === undefined || this.#supported.has(key)) return;
    if ((this.#lacking.get(key)?.untilMs ?? 0) < performance.now()) {
      await this.#running.join(
        key,
        (_report, signal) => this.#probe(key, modelId, feature, signal),
        { signal: context.signal },
      );
    }
    const lack = this.#lacking.get(key);
    if (lack === undefined) return;
    const { name } = this.#options.upstream;
    throw lackingFeature(
      feature,
      field,
      `${modelId} of "${name}" does not support: ${lack.reason}`,
    );
  }

  async #probe(key: string, modelId: string, feature: Feature, signal: AbortSignal): Promise<void> {
    const { replicas, client } = this.#options;
    const path = feature === 'completions' ? '/completions' : '/chat/completions';
    const body = { model: modelId, max_tokens: 1, ...probeFields[feature] };
    try {
      await replicas.run(key, signal, async (url) => {
        try {
          await client.postJson(`${url}${path}`, body, { signal });
          this.#supported.add(key);
          this.#lacking.delete(key);
        } catch (error) {
          if (!isRefusedRequest(error)) throw error;
          const untilMs = performance.now() + lackingForMs;
          this.#lacking.set(key, { reason: error.message, untilMs });
        }
      });
    } catch {
      // This failure says nothing about the feature; the request itself will show the problem.
      signal.throwIfAborted();
      this.#lacking.delete(key);
    }
  }
}

/** A gray image of 32 by 32 pixels. */
const probeImage =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAMAAABEpIrGAAAAA1BMVEWAgICQdD0xAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAEklEQVQ4y2NgGAWjYBSMAuwAAAQgAAFWu83mAAAAAElFTkSuQmCC';
/** A fifth of a second of silence, as a WAV file. */
const probeAudio = 'UklGRiQZAABXQVZFZm10IBAAAAABAAEAgD4AAAB9AAACABAAZGF0YQAZ'.padEnd(8592, 'A');
const greeting = [{ role: 'user', content: 'Hello' }];
const emptyObject = { type: 'object', properties: {}, additionalProperties: false };

/** A feature without a probe counts as supported. */
const probeFields: Readonly<Partial<Record<Feature, object>>> = {
  tools: {
    messages: greeting,
    tools: [
      { type: 'function', function: { name: 'wait', description: '', parameters: emptyObject } },
    ],
    tool_choice: 'auto',
  },
  json_schema: {
    messages: greeting,
    response_format: {
      type: 'json_schema',
      json_schema: { name: 'probe', strict: true, schema: emptyObject },
    },
  },
  json_object: {
    messages: [{ role: 'user', content: 'Answer in JSON.' }],
    response_format: { type: 'json_object' },
  },
  images: {
    messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: probeImage } }] }],
  },
  audio: {
    messages: [
      {
        role: 'user',
        content: [{ type: 'input_audio', input_audio: { data: probeAudio, format: 'wav' } }],
      },
    ],
  },
  logprobs: { messages: greeting, logprobs: true, top_logprobs: 1 },
  completions: { prompt: 'Hello' },
};
