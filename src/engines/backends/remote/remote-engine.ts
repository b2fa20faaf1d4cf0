import { createHash } from 'node:crypto';
import { HearthError } from '../../../kernel/errors/errors.ts';
import type { RequestContext } from '../../../kernel/request/request-context.ts';
import type {
  AudioAnswer,
  AudioForm,
  Embeddings,
  Engine,
  GenerationEvent,
  GenerationRequest,
  Prompt,
  Relevance,
} from '../../engine.ts';
import { embeddingsRequest, readEmbeddings } from '../wire/embeddings.ts';
import { readRelevance } from '../wire/rerank.ts';
import { featuresOf, wireCall } from '../wire/request-body.ts';
import { assertModel, StreamDecoder } from '../wire/stream-decoder.ts';
import { estimateTextTokens, estimateTokens, withinContext } from '../wire/token-estimate.ts';
import type { CapabilityProbes } from './capability-probes.ts';
import { kindsOfServers } from './kinds.ts';
import type { Pacing } from './pacing.ts';
import { createPromptCounter } from './prompt-counter.ts';
import type { ReplicaSet } from './replica-set.ts';
import type { Upstream } from './upstream.ts';
import type { UpstreamClient } from './upstream-client.ts';
import { toUpstreamError, UpstreamRefusal } from './upstream-failure.ts';
import type { UpstreamModels } from './upstream-models.ts';

interface RemoteEngineOptions {
  readonly upstream: Pick<Upstream, 'name' | 'kind' | 'sessionHeader' | 'timeoutMs'>;
  /** The upstream's name for the model. */
  readonly modelId: string;
  readonly replicas: ReplicaSet;
  readonly client: UpstreamClient;
  readonly probes: CapabilityProbes;
  readonly models: Pick<UpstreamModels, 'lists'>;
  readonly pacing: Pacing;
  /** Maximum tokens of one request, prompt and answer together. */
  readonly contextLength: number;
}

/** An engine that sends its requests to a remote server whose API resembles OpenAI's. */
export function createRemoteEngine(options: RemoteEngineOptions): Engine {
  const { upstream, modelId, replicas, client, probes, models, pacing, contextLength } = options;
  const { dialect, ignoresModel, shortensPrompts, isComplete, ranksByLogit } =
    kindsOfServers[upstream.kind];
  const onlyModel = () => (ignoresModel === true && models.lists(modelId) ? modelId : undefined);

  /** Asks the engine for one token. Never rejects. */
  async function testEngine(url: string): Promise<boolean> {
    const body = { model: modelId, max_tokens: 1, messages: [{ role: 'user', content: 'Hello' }] };
    const signal = AbortSignal.timeout(maxTestMs);
    try {
      await client.postJson(`${url}${dialect.paths.chat}`, body, { signal });
      return true;
    } catch (error) {
      return error instanceof UpstreamRefusal && error.status < 500;
    }
  }

  async function* generate(
    wanted: GenerationRequest,
    context: RequestContext,
  ): AsyncGenerator<GenerationEvent, void, void> {
    const request = withinContext(wanted, contextLength);
    const { signal } = context;
    const answering = onlyModel();
    if (shortensPrompts === true) assertMayFit(request, contextLength);
    const { path, body } = wireCall(request, dialect, modelId);
    for (const [feature, field] of isComplete === true ? [] : featuresOf(request)) {
      await probes.assert(modelId, feature, field, context);
    }
    const key = affinityKey(request);
    const { sessionHeader } = upstream;
    const call = {
      traceparent: traceparentOf(context),
      headers: sessionHeader === undefined ? {} : { [sessionHeader]: sessionName(key) },
    };
    const silenceLimit = { maxMs: () => maxSilenceMs(request, upstream), testEngine };
    for (const attempt of replicas.attempts(key, signal, silenceLimit)) {
      const decoder = new StreamDecoder(request, dialect, answering);
      try {
        const stream = await client.openStream(`${attempt.url}${path}`, body, {
          ...call,
          signal: attempt.signal,
          onRead: () => attempt.heard(),
        });
        yield* decoder.read(stream, signal, () => pacing.intervalMs());
        attempt.succeed();
        return;
      } catch (error) {
        attempt.fail(error, decoder.answer.hasOutput);
      } finally {
        attempt.end();
      }
    }
  }

  async function embed(inputs: readonly Prompt[], context: RequestContext): Promise<Embeddings> {
    const { signal } = context;
    const body = embeddingsRequest(inputs, dialect, modelId);
    return replicas.run(String(inputs[0] ?? ''), signal, async (url) => {
      const call = { signal, traceparent: traceparentOf(context) };
      const reply = await client.postJson(`${url}${dialect.paths.embeddings}`, body, call);
      assertModel(modelOf(reply), onlyModel(), dialect);
      const embeddings = readEmbeddings(reply, inputs);
      if (embeddings !== undefined) return embeddings;
      throw dialect.failures.broken('it sent no embeddings');
    });
  }

  async function rank(
    query: string,
    documents: readonly string[],
    context: RequestContext,
  ): Promise<Relevance> {
    const { signal } = context;
    const body = { model: modelId, query, documents };
    return replicas.run(query, signal, async (url) => {
      const call = { signal, traceparent: traceparentOf(context) };
      const reply = await client.postJson(`${url}/rerank`, body, call);
      assertModel(modelOf(reply), onlyModel(), dialect);
      const relevance = readRelevance(reply, query, documents);
      if (relevance === undefined) {
        throw dialect.failures.broken('it sent no score for each document');
      }
      return { ...relevance, isNormalized: ranksByLogit !== true || softmaxModels.test(modelId) };
    });
  }

  async function sendAudio(
    { path, file, fields }: AudioForm,
    context: RequestContext,
  ): Promise<AudioAnswer> {
    const { signal } = context;
    const form = new FormData();
    for (const [name, value] of fields) if (name !== 'model') form.append(name, value);
    form.append('model', modelId);
    form.append('file', new Blob([new Uint8Array(file.bytes)]), file.name);
    const call = { signal, traceparent: traceparentOf(context) };
    const { contentType, pieces } = await replicas.run(file.name, signal, (url) =>
      client.postForm(`${url}/audio/${path}`, form, call),
    );
    return { contentType, pieces: converted(pieces) };
  }

  /** Converts errors. The answer has begun, so no other replica can take over. */
  async function* converted(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    try {
      yield* pieces;
    } catch (error) {
      throw toUpstreamError(error, upstream.name);
    }
  }

  return {
    generate,
    embed,
    sendAudio,
    rank,
    renderPrompt: async () => undefined,
    countTokens: async (text) => estimateTextTokens(text),
    countPromptTokens: createPromptCounter(options),
  };
}

function traceparentOf({ record }: RequestContext): string | undefined {
  const generation = record.generations.at(-1);
  return record.traceparentOf({ spanId: generation?.spanId ?? '' });
}

/** Rerankers for which llama-server sends probabilities, while it sends logits for others. */
const softmaxModels = /qwen3/iu;

/** Hardly any text has fewer tokens than its estimate divided by this factor. */
const longTokens = 2;

/** @throws HearthError `context_length_exceeded` for a prompt that exceeds the context by any tokenizer. */
function assertMayFit(request: GenerationRequest, contextLength: number): void {
  const leastTokens = Math.floor(estimateTokens(request) / longTokens);
  if (leastTokens <= contextLength) return;
  throw new HearthError(
    'context_length_exceeded',
    `The prompt has at least ${leastTokens} tokens; the context of the model holds ${contextLength}.`,
    { promptSize: { tokens: leastTokens, isLowerBound: true, maxTokens: contextLength } },
  );
}

/** Time limit of `testEngine`. */
const maxTestMs = 5000;
const minSilenceMs = 10_000;
/** Slowest prompt processing that counts as working. */
const slowTokensPerSecond = 250;

/** Time for which a replica may send nothing before another one gets the request. Grows with the prompt. */
function maxSilenceMs(
  request: GenerationRequest,
  { timeoutMs }: Pick<Upstream, 'timeoutMs'>,
): number {
  const readingMs = (estimateTokens(request) / slowTokensPerSecond) * 1000;
  return Math.min(timeoutMs / 2, minSilenceMs + readingMs);
}

function modelOf(reply: unknown): unknown {
  return typeof reply === 'object' && reply !== null && 'model' in reply ? reply.model : undefined;
}

/** An opaque name for a conversation, which reveals nothing about its texts. */
function sessionName(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 32);
}

/** Length of a raw prompt's beginning that selects the replica: in characters, or in tokens for token ids. */
const headCharacters = 512;

/** The beginning of a prompt, which all turns of a conversation share: everything up to the first user message. */
function affinityKey(request: GenerationRequest): string {
  if (request.kind === 'completion') {
    const head = request.prompt.slice(0, headCharacters);
    return typeof head === 'string' ? head : head.join(' ');
  }
  const firstUser = request.messages.findIndex(({ role }) => role === 'user');
  const head = request.messages.slice(0, firstUser + 1);
  return JSON.stringify(head.map(({ content }) => content));
}
