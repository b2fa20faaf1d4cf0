import { HearthError } from '../../../contract/errors.ts';
import type { RequestContext } from '../../../request/request-context.ts';
import type {
  Embeddings,
  Engine,
  GenerationEvent,
  GenerationRequest,
  Prompt,
} from '../../engine.ts';
import { affinityKey } from './affinity-key.ts';
import { chatBody, completionBody } from './chat-body.ts';
import type { CapabilityProbes } from './capability-probes.ts';
import { requestEmbeddings } from './embeddings.ts';
import { featuresOf } from './features.ts';
import type { Pacing } from './pacing.ts';
import type { ReplicaSet } from './replica-set.ts';
import { RemoteStreamDecoder } from './stream-decoder.ts';
import { estimateTextTokens, estimateTokens, withinContext } from './token-estimate.ts';
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

/** An engine that sends its requests to a remote server with an API like that of OpenAI. */
export function createRemoteEngine(options: RemoteEngineOptions): Engine {
  const { upstream, modelId, replicas, client, probes, pacing, contextLength } = options;

  async function* generate(
    wanted: GenerationRequest,
    context: RequestContext,
  ): AsyncGenerator<GenerationEvent, void, void> {
    const request = withinContext(wanted, contextLength);
    const { signal } = context;
    const isChat = request.kind === 'chat';
    const body = isChat
      ? chatBody(modelId, upstream.kind, request)
      : completionBody(modelId, upstream.kind, request);
    for (const [feature, field] of featuresOf(request)) {
      await probes.assert(modelId, feature, field, context);
    }
    const path = isChat ? '/chat/completions' : '/completions';
    for (const attempt of replicas.attempts(affinityKey(request), signal)) {
      const decoder = new RemoteStreamDecoder(request);
      try {
        const stream = await client.openStream(`${attempt.url}${path}`, body, {
          signal,
          traceparent: traceparentOf(context),
        });
        try {
          for (
            let chunks = await stream.read();
            chunks !== undefined;
            chunks = await stream.read()
          ) {
            for (const event of decoder.decode(chunks)) yield event;
            if (decoder.hasOutput) stream.setMinimumInterval(pacing.intervalMs());
          }
          yield decoder.end();
        } finally {
          // Closes the connection of an answer that was not read to its end, which makes the server stop.
          stream.close();
        }
        attempt.succeed();
        return;
      } catch (error) {
        if (decoder.hasOutput) {
          const { reasoningTokens } = decoder;
          yield { type: 'generation.cut', usage: decoder.usage(), reasoningTokens };
        }
        attempt.fail(error, decoder.hasOutput);
      } finally {
        attempt.end();
      }
    }
  }

  return {
    generate,
    embed: (inputs: readonly Prompt[], context: RequestContext): Promise<Embeddings> =>
      replicas.run(String(inputs[0] ?? ''), context.signal, (url) =>
        requestEmbeddings(client, `${url}/embeddings`, modelId, inputs, {
          signal: context.signal,
          traceparent: traceparentOf(context),
        }),
      ),
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

function traceparentOf({ record }: RequestContext): string | undefined {
  const generation = record.generations.at(-1);
  return record.traceparentOf({ spanId: generation?.spanId ?? '' });
}
