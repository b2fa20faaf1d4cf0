import * as z from 'zod';
import { HearthError } from '../../kernel/errors/errors.ts';
import { HttpFailure } from '../../platform/net/http-failure.ts';
import { createHttpSender, type HttpRequest } from '../../platform/net/http-sender.ts';
import { KeyMismatch, readServerKey } from '../../platform/net/pinned-key.ts';
import { isCodeOf, parseLinkCode } from './link-code.ts';
import type { OutwardLink } from './link-file.ts';

type Address = Pick<OutwardLink, 'host' | 'port'>;

const timeoutMs = 5000;
const maxAnswerBytes = 16_384;
const pairedSchema = z.object({
  name: z.string().max(256),
  token: z.string().regex(/^[\x21-\x7e]{1,256}$/u),
});

/** Base address of a machine, without a path. */
export function machineUrl({ host, port }: Address): string {
  return `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/**
 * Checks that the machine at an address created the code. Then sends the code's secret, which proves that this machine
 * has the code.
 *
 * @param assertNew Throws if the key is already known.
 * @returns The other machine's key, its name, and its token for this machine.
 * @throws HearthError `invalid_code`, `upstream_error`, `upstream_unavailable`; the signal's reason.
 */
export async function pair(
  address: Address,
  {
    code: text,
    ownName,
    assertNew,
  }: {
    readonly code: string;
    readonly ownName: string;
    readonly assertNew: (key: string) => void;
  },
  signal: AbortSignal,
): Promise<{ readonly key: string; readonly name: string; readonly token: string }> {
  const code = parseLinkCode(text);
  if (code === undefined) {
    throw new HearthError(
      'invalid_code',
      'This is not a code of `hearth link offer`, which has six groups of five characters.',
      { field: 'code' },
    );
  }
  const base = new URL(machineUrl(address));
  try {
    const key = await readServerKey(base, { timeoutMs, signal });
    if (!isCodeOf(code, key)) {
      throw new HearthError(
        'invalid_code',
        `The code is not from the machine at ${base.host}, which has the key ${key}. Check the code and the address; if both are right, another machine answers in its place. Nothing was sent.`,
        { field: 'code' },
      );
    }
    assertNew(key);
    const body = JSON.stringify({ code: code.secret, name: ownName });
    const answer = await send(base, key, { method: 'POST', body, signal });
    if (answer.status === 200) return { key, ...pairedSchema.parse(JSON.parse(answer.text)) };
    if (answer.status !== 401) {
      const message = `${base.host} answers ${answer.status} to the code; try again in a minute.`;
      throw new HearthError('upstream_error', message);
    }
    throw new HearthError(
      'invalid_code',
      `${base.host} does not accept the code: it is mistyped, used or too old. \`hearth link offer\` on that machine makes a new one.`,
      { field: 'code' },
    );
  } catch (error) {
    throw toPairingError(error, base);
  }
}

/** Removes a link on the other machine. @returns True if the other machine has removed it. */
export async function leave(link: OutwardLink): Promise<boolean> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const headers = { authorization: `Bearer ${link.token}` };
    const request = { method: 'DELETE', headers, signal } as const;
    const { status } = await send(new URL(machineUrl(link)), link.key, request);
    // 401 means that the token was already revoked.
    return status === 200 || status === 401;
  } catch {
    return false;
  }
}

async function send(
  base: URL,
  pinnedKey: string,
  { headers, ...request }: Pick<HttpRequest, 'method' | 'body' | 'signal'> & Partial<HttpRequest>,
): Promise<{ readonly status: number; readonly text: string }> {
  const egress = { type: 'any' } as const;
  const sender = createHttpSender({ egress, environment: {}, idleTimeoutMs: timeoutMs, pinnedKey });
  try {
    const { response } = await sender.send({
      url: new URL('/api/v1/links/pair', base),
      headers: { ...headers, ...(request.body && { 'content-type': 'application/json' }) },
      forwardedHeaders: {},
      ...request,
    });
    const chunks: Buffer[] = [];
    for (let bytes = 0; bytes <= maxAnswerBytes;) {
      const pieces = await response.read();
      if (pieces === undefined) break;
      chunks.push(...pieces);
      bytes += pieces.reduce((sum, piece) => sum + piece.length, 0);
    }
    return { status: response.status, text: Buffer.concat(chunks).toString() };
  } finally {
    await sender.close();
  }
}

function toPairingError(error: unknown, { host }: URL): unknown {
  if (error instanceof HttpFailure && error.cause instanceof KeyMismatch) {
    const { expected, actual } = error.cause;
    const message = `The machine at ${host} changed its key from ${expected} to ${actual} while it was linked.`;
    return new HearthError('upstream_error', message, { cause: error });
  }
  if (error instanceof HttpFailure) {
    return new HearthError(
      'upstream_unavailable',
      `No Hearth answers at ${host}. Run \`hearth link offer\` on that machine, which shows the address, and allow the port in its firewall.`,
      { retryAfterSeconds: 5, cause: error },
    );
  }
  if (!(error instanceof z.ZodError || error instanceof SyntaxError)) return error;
  const message = `The server at ${host} does not answer like Hearth.`;
  return new HearthError('upstream_error', message, { cause: error });
}
