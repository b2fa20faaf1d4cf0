import { readReply } from '../../src/platform/net/engine-connection.ts';
import type { Endpoint } from './endpoint.ts';

export interface StreamedAnswer {
  /** Time from sending the request to the first text. */
  readonly firstTokenMs: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Text of all server-sent events. */
  text(): string;
}

/** Text in a delta of any API. Some servers send an empty delta first. */
const firstText = /content":"[^"]/;
const promptTokens = /"(?:prompt_tokens|input_tokens)":\s*(\d+)/g;
const completionTokens = /"(?:completion_tokens|total_output_tokens)":\s*(\d+)/g;

/** Longer than the last events, which report the usage. */
const tailBytes = 64 * 1024;

/**
 * Sends a request with `stream: true` and reads the response to its end. Parses as few bytes as possible, so that the
 * client takes little of the machine's CPU time.
 *
 * @throws Error for any status except 200, and for a response without text or usage.
 */
export async function streamRequest(
  { connection, path, model }: Endpoint,
  body: object,
  signal: AbortSignal,
): Promise<StreamedAnswer> {
  const startedAt = performance.now();
  const stream = await connection.openStream(path, { model, stream: true, ...body }, signal);
  if (stream.status !== 200) {
    const reply = await readReply(stream);
    throw new Error(`${path} answered ${reply.status}: ${JSON.stringify(reply.body)}`);
  }
  const received: Buffer[] = [];
  let firstTokenMs: number | undefined;
  for (let chunks = await stream.read(); chunks !== undefined; chunks = await stream.read()) {
    for (const chunk of chunks) {
      received.push(chunk);
      if (firstTokenMs === undefined && firstText.test(chunk.toString('latin1'))) {
        firstTokenMs = performance.now() - startedAt;
      }
    }
  }
  const text = (): string => Buffer.concat(received).toString();
  const tail = Buffer.concat(received).subarray(-tailBytes).toString('latin1');
  if (firstTokenMs === undefined) throw new Error(`${path} answered without text: ${text()}`);
  return {
    firstTokenMs,
    promptTokens: lastNumber(tail, promptTokens),
    completionTokens: lastNumber(tail, completionTokens),
    text,
  };
}

function lastNumber(text: string, pattern: RegExp): number {
  const found = [...text.matchAll(pattern)].at(-1)?.[1];
  if (found === undefined) throw new Error(`The answer has no ${pattern.source}`);
  return Number(found);
}
