import type { Upstream, UpstreamKind } from './upstream.ts';
import type { UpstreamClient } from './upstream-client.ts';

/** Paths of the health of a server, beside its API; others have none that all know. */
const healthPaths: Readonly<Partial<Record<UpstreamKind, string>>> = {
  vllm: '/health',
  sglang: '/health',
  'llama-server': '/health',
  ollama: '/api/version',
};

const maxWaitMs = 5000;

/**
 * True if the server at a base address answers as one that works. A proxy before it may not know the path of its health;
 * then the list of models decides.
 *
 * @param signal Ends the question; the answer is false.
 */
export async function isHealthy(
  client: Pick<UpstreamClient, 'getStatus'>,
  { kind }: Pick<Upstream, 'kind'>,
  url: string,
  signal: AbortSignal,
): Promise<boolean> {
  const limited = { signal: AbortSignal.any([signal, AbortSignal.timeout(maxWaitMs)]) };
  const path = healthPaths[kind];
  try {
    const root = url.replace(/\/v1$/u, '');
    const status = path === undefined ? 404 : await client.getStatus(`${root}${path}`, limited);
    const isKnown = status !== 404 && status !== 405;
    return (isKnown ? status : await client.getStatus(`${url}/models`, limited)) < 500;
  } catch {
    return false;
  }
}
