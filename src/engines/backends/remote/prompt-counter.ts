import type { RequestContext } from '../../../kernel/request/request-context.ts';
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
  /** The upstream's name for the model. */
  readonly modelId: string;
  readonly replicas: ReplicaSet;
  readonly client: UpstreamClient;
}

/** Time for which a server counts as unable to count. Limited, since it may be restarted as another version. */
const lackingForMs = 10 * 60_000;

/**
 * Returns a function that counts the tokens of chats with the server, or estimates them if the server can't count.
 * The function throws HearthError `upstream_unavailable` and `upstream_error`, and the signal's reason.
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
        // Other statuses mean that the server, or a load balancer in front of it, does not have the endpoint.
        if (error.status !== 400) lackingUntilMs = performance.now() + lackingForMs;
        return undefined;
      }
    });
    return counted ?? estimateTokens(request);
  };
}
