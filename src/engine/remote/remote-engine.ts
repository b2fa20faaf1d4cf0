import type { RequestContext } from '../../request/request-context.ts';
import type { Embeddings, Engine, GenerationEvent, GenerationRequest, Prompt } from '../engine.ts';
import { affinityKey } from './affinity-key.ts';
import { chatBody, completionBody } from './chat-body.ts';
import type { CapabilityProbes, Feature } from './capability-probes.ts';
import { requestEmbeddings } from './embeddings.ts';
import type { ReplicaSet } from './replica-set.ts';
import { RemoteStreamDecoder } from './stream-decoder.ts';
import { estimateTextTokens, estimateTokens } from './token-estimate.ts';
import type { Upstream } from './upstream.ts';
import type { UpstreamClient } from './upstream-client.ts';

interface RemoteEngineOptions {
  readonly upstream: Pick<Upstream, 'name' | 'kind'>;
  /** As the upstream calls it. */
  readonly modelId: string;
  readonly replicas: ReplicaSet;
  readonly client: UpstreamClient;
  readonly probes: CapabilityProbes;
}

/** An engine that sends its requests to a remote server with an API like that of OpenAI. */
export function createRemoteEngine(options: RemoteEngineOptions): Engine {
  const { upstream, modelId, replicas, client, probes } = options;

  async function* generate(
    request: GenerationRequest,
    context: RequestContext,
  ): AsyncGenerator<GenerationEvent, void, void> {
    const { signal } = context;
    const isChat = request.kind === 'chat';
    const body = isChat
      ? chatBody(modelId, upstream.kind, request)
      : completionBody(modelId, upstream.kind, request);
    for (const [feature, field] of featuresOf(request)) {
      await probes.assert(modelId, feature, field, context);
    }
    let decoder = new RemoteStreamDecoder(request);
    const attempt = async function* (url: string): AsyncGenerator<GenerationEvent> {
      decoder = new RemoteStreamDecoder(request);
      const path = isChat ? '/chat/completions' : '/completions';
      const stream = await client.openStream(`${url}${path}`, body, {
        signal,
        traceparent: traceparentOf(context),
      });
      try {
        for (let chunks = await stream.read(); chunks !== undefined; chunks = await stream.read()) {
          yield* decoder.decode(chunks);
        }
        yield decoder.end();
      } finally {
        // Closes the connection of an answer that was not read to its end, which makes the server stop.
        stream.close();
      }
    };
    try {
      yield* replicas.stream(affinityKey(request), signal, attempt, () => decoder.hasOutput);
    } catch (error) {
      if (decoder.hasOutput) {
        const { reasoningTokens } = decoder;
        yield { type: 'generation.cut', usage: decoder.usage(), reasoningTokens };
      }
      throw error;
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
    renderPrompt: async () => undefined,
    countTokens: async (text) => estimateTextTokens(text),
    countPromptTokens: async (request) => estimateTokens(request),
  };
}

/** The features that servers may lack, with the field of the request that needs each. */
function featuresOf(request: GenerationRequest): readonly (readonly [Feature, string])[] {
  if (request.kind === 'completion') return [['completions', 'prompt']];
  const { tools = [], responseFormat, topLogprobs, messages } = request;
  const hasImage = messages.some(
    ({ content }) => typeof content !== 'string' && content.some(({ type }) => type === 'image'),
  );
  const needed: (readonly [Feature, string])[] = [];
  if (tools.length > 0) needed.push(['tools', 'tools']);
  if (responseFormat?.type === 'json_schema') needed.push(['json_schema', 'responseFormat']);
  if (responseFormat?.type === 'json_object') needed.push(['json_object', 'responseFormat']);
  if (hasImage) needed.push(['images', 'messages']);
  if (topLogprobs !== undefined) needed.push(['logprobs', 'topLogprobs']);
  return needed;
}

function traceparentOf({ record }: RequestContext): string | undefined {
  const generation = record.generations.at(-1);
  return record.traceparentOf({ spanId: generation?.spanId ?? '' });
}
