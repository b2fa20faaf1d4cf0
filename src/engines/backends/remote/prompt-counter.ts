import type { RequestContext } from '../../../telemetry/request-context.ts';
import type { ChatGeneration, Engine } from '../../engine.ts';
import { wireCall } from '../wire/request-body.ts';
import { estimateTokens } from '../wire/token-estimate.ts';
import { kindsOfServers } from './kinds.ts';
import type { ReplicaSet } from './replica-set.ts';
import { serverRoot, type Upstream } from './upstream.ts';
import type { UpstreamClient } from './upstream-client.ts';
import { isRefusedRequest } from './upstream-failure.ts';

interface PromptCounterOptions {
  readonly upstream: Pick<Upstream, 'kind'>;
  /** As the upstream calls it. */
  readonly modelId: string;
  readonly replicas: ReplicaSet;
  readonly client: UpstreamClient;
}

/** How long a server counts as one that can't count: it may be restarted as another version. */
const lackingForMs = 10 * 60_000;

/**
 * Counts the tokens of chats: the server does, or else they are estimated. The function throws HearthError
 * `upstream_unavailable` and `upstream_error`, and the signal's reason.
 */
export function createPromptCounter({
  upstream,
  modelId,
  replicas,
  client,
}: PromptCounterOptions): Engine['countPromptTokens'] {
  const { dialect, promptCount } = kindsOfServers[upstream.kind];
  let lackingUntilMs = -Infinity;

  return async function countTokens(
    request: ChatGeneration,
    { signal }: RequestContext,
  ): Promise<number> {
    if (promptCount === undefined || performance.now() < lackingUntilMs) {
      return estimateTokens(request);
    }
    const { body } = wireCall(request, dialect, modelId);
    const counted = await replicas.run('count', signal, async (url) => {
      try {
        const address = `${serverRoot(url)}${promptCount.path}`;
        return promptCount.reply.safeParse(await client.postJson(address, body, { signal })).data;
      } catch (error) {
        if (!isRefusedRequest(error)) throw error;
        // A balancer may not know the path.
        if (error.status !== 400) lackingUntilMs = performance.now() + lackingForMs;
        return undefined;
      }
    });
    return counted ?? estimateTokens(request);
  };
}
