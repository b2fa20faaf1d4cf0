import { HearthError } from '../../../kernel/errors/errors.ts';
import type { RequestContext } from '../../../telemetry/request-context.ts';
import type { Embeddings, Engine, GenerationRequest, Prompt } from '../../engine.ts';
import { embeddingsRequest, readEmbeddings } from '../wire/embeddings.ts';
import { featuresOf, wireCall } from '../wire/request-body.ts';
import { generate, type WireAttempt, type WireStream } from '../wire/generate.ts';
import { estimateTextTokens, estimateTokens, withinContext } from '../wire/token-estimate.ts';
import type { CapabilityProbes } from './capability-probes.ts';
import { kindsOfServers } from './kinds.ts';
import type { Pacing } from './pacing.ts';
import type { Attempt, ReplicaSet } from './replica-set.ts';
import type { Upstream } from './upstream.ts';
import type { UpstreamClient } from './upstream-client.ts';

interface RemoteEngineOptions {
  readonly upstream: Pick<Upstream, 'name' | 'kind'>;
  /** As the upstream calls it. */
  readonly modelId: string;
  readonly replicas: ReplicaSet;
  readonly client: UpstreamClient;
  readonly probes: CapabilityProbes;
  readonly pacing: Pacing;
  /** Tokens of prompt and answer together. */
  readonly contextLength: number;
}

/** An engine that sends its requests to a remote server whose API resembles OpenAI's. */
export function createRemoteEngine(options: RemoteEngineOptions): Engine {
  const { upstream, modelId, replicas, client, probes, pacing, contextLength } = options;
  const { dialect } = kindsOfServers[upstream.kind];

  function generateRemotely(wanted: GenerationRequest, context: RequestContext) {
    const request = withinContext(wanted, contextLength);
    const { signal } = context;
    const start = async (): Promise<Iterable<WireAttempt>> => {
      const { path, body } = wireCall(request, dialect, modelId);
      for (const [feature, field] of featuresOf(request)) {
        await probes.assert(modelId, feature, field, context);
      }
      const call = { signal, traceparent: traceparentOf(context) };
      return streamsOf(replicas.attempts(affinityKey(request), signal), (url) =>
        client.openStream(`${url}${path}`, body, call),
      );
    };
    const intervalMs = () => pacing.intervalMs();
    return generate({ request, dialect, start, intervalMs, signal });
  }

  async function embed(inputs: readonly Prompt[], context: RequestContext): Promise<Embeddings> {
    const { signal } = context;
    const body = embeddingsRequest(inputs, dialect, modelId);
    return replicas.run(String(inputs[0] ?? ''), signal, async (url) => {
      const call = { signal, traceparent: traceparentOf(context) };
      const reply = await client.postJson(`${url}${dialect.paths.embeddings}`, body, call);
      const embeddings = readEmbeddings(reply, inputs);
      if (embeddings !== undefined) return embeddings;
      throw dialect.failures.broken('it sent no embeddings');
    });
  }

  return {
    generate: generateRemotely,
    embed,
    rank: async () => {
      throw new HearthError('wrong_model_type', 'Models of remote servers do not rank documents.', {
        field: 'model',
      });
    },
    renderPrompt: async () => undefined,
    countTokens: async (text) => estimateTextTokens(text),
    countPromptTokens: async (request) => estimateTokens(request),
  };
}

function* streamsOf(
  attempts: Iterable<Attempt>,
  open: (url: string) => Promise<WireStream>,
): Generator<WireAttempt, void, void> {
  for (const attempt of attempts) {
    yield {
      open: () => open(attempt.url),
      succeed: () => attempt.succeed(),
      fail: (error, hasOutput) => attempt.fail(error, hasOutput),
      end: () => attempt.end(),
    };
  }
}

function traceparentOf({ record }: RequestContext): string | undefined {
  const generation = record.generations.at(-1);
  return record.traceparentOf({ spanId: generation?.spanId ?? '' });
}

/** Characters of a prompt without messages that decide which replica gets it. */
const headCharacters = 512;

/**
 * The beginning of a prompt, which all turns of a conversation share: the system prompt and the first message of the
 * user.
 */
function affinityKey(request: GenerationRequest): string {
  if (request.kind === 'completion') {
    const head = request.prompt.slice(0, headCharacters);
    return typeof head === 'string' ? head : head.join(' ');
  }
  const firstUser = request.messages.findIndex(({ role }) => role === 'user');
  const head = request.messages.slice(0, firstUser + 1);
  return JSON.stringify(head.map(({ content }) => content));
}
