import { chatRequest } from '../client/chat-request.ts';
import type { Endpoint } from '../client/endpoint.ts';
import { repeat } from '../client/repeat.ts';
import { streamRequest } from '../client/stream-request.ts';
import { toRow, type Row } from '../row.ts';
import { interleave } from './interleave.ts';
import type { StreamBench } from './measurement.ts';

const longPromptTokens = 1000;
/** Just enough to see the answer start. */
const maxTokens = 8;
const runs = { atLeast: 2, atMost: 100 };

/** Makes each prompt unique: otherwise its beginning would be in the cache. */
let serial = 0;

/** Measures the time to the first token with a loaded model: after a short question, and after a prompt of 1,000 tokens. */
export async function measureFirstToken(bench: StreamBench): Promise<readonly Row[]> {
  const prefix = await filler(bench.hearth.chat, longPromptTokens, bench.signal);
  return [
    ...(await measureShortPrompt(bench)),
    ...(await measurePrompt(
      bench,
      `${longPromptTokens}-token prompt`,
      `${prefix} Tell me a story`,
    )),
  ];
}

/** Measures the time to the first token after a short question. */
export function measureShortPrompt(bench: StreamBench): Promise<readonly Row[]> {
  return measurePrompt(bench, 'short prompt', 'What is the capital of France?');
}

async function measurePrompt(
  { options, hearth, other, signal }: StreamBench,
  name: string,
  prompt: string,
): Promise<readonly Row[]> {
  const { rounds, budgetMs } = options;
  const samples = await interleave(rounds, { hearth, other }, (subject) =>
    repeat(budgetMs, runs, async () => {
      serial += 1;
      const request = chatRequest(`${serial} ${prompt}`, maxTokens);
      return (await streamRequest(subject.chat, request, signal)).firstTokenMs;
    }),
  );
  const title = `TTFT, ${name}`;
  const target = { of: 'ratio', atMost: 1.1 } as const;
  return [
    toRow({ name: `${title}, p50`, unit: 'ms', target }, samples.hearth, samples.other),
    toRow({ name: `${title}, p95`, unit: 'ms', fraction: 0.95 }, samples.hearth, samples.other),
  ];
}

/** A text of about this number of tokens. */
export async function filler(chat: Endpoint, tokens: number, signal: AbortSignal): Promise<string> {
  const words = (count: number): string => 'The tide comes and goes. '.repeat(count);
  const tokensOf = async (count: number): Promise<number> =>
    (await streamRequest(chat, chatRequest(words(count), maxTokens), signal)).promptTokens;
  const [one, many] = [await tokensOf(1), await tokensOf(51)];
  return words(Math.max(1, Math.round(1 + (tokens - one) / ((many - one) / 50))));
}
