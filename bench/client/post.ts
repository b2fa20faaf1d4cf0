import type { Endpoint } from './endpoint.ts';

/**
 * Sends a request and returns the response body.
 *
 * @throws Error for any status except 200.
 */
export async function post(
  { connection, path, model }: Endpoint,
  body: object,
  signal: AbortSignal,
): Promise<unknown> {
  const reply = await connection.postJson(path, { model, ...body }, signal);
  if (reply.status === 200) return reply.body;
  throw new Error(`${path} answered ${reply.status}: ${JSON.stringify(reply.body)}`);
}
