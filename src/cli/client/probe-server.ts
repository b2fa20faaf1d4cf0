import * as z from 'zod';
import { getHealth } from '../../api/monitoring/health-schema.ts';
import {
  sendApiRequest,
  TransportError,
  type ApiAnswer,
} from '../../platform/net/api-client-transport.ts';
import { isConnectFailure, parseJson } from './client-error.ts';

export type ProbeResult =
  | { readonly kind: 'hearth'; readonly homeId: string }
  /** Another program. */
  | { readonly kind: 'foreign' }
  | { readonly kind: 'unreachable' };

const healthSchema = z.object({ status: z.literal('ok'), home_id: z.string() });
const maxProbeMs = 5000;
const maxProbeBytes = 64 * 1024;

/**
 * Finds out what listens at a URL, without a token.
 *
 * @throws the signal's reason when aborted.
 */
export async function probeServer(
  baseUrl: string,
  signal: AbortSignal,
  certificate?: string,
): Promise<ProbeResult> {
  const limit = AbortSignal.timeout(maxProbeMs);
  try {
    const response = await sendApiRequest({
      method: 'GET',
      url: new URL(getHealth.path, baseUrl),
      headers: {},
      signal: AbortSignal.any([signal, limit]),
      certificate,
    });
    const body = parseJson(await readBody(response));
    const health = healthSchema.safeParse(body, { jitless: true });
    if (health.success) return { kind: 'hearth', homeId: health.data.home_id };
    return { kind: 'foreign' };
  } catch (error) {
    signal.throwIfAborted();
    if (limit.aborted) return { kind: 'foreign' };
    if (!(error instanceof TransportError)) throw error;
    // Any other failure comes from a program that does not speak HTTP.
    return { kind: isConnectFailure(error) ? 'unreachable' : 'foreign' };
  }
}

async function readBody(response: ApiAnswer): Promise<string> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of response.chunks) {
    chunks.push(chunk);
    sizeBytes += chunk.length;
    if (sizeBytes > maxProbeBytes) break;
  }
  return Buffer.concat(chunks).toString();
}
