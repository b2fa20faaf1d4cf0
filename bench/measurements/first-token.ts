import { chatRequest } from '../client/chat-request.ts';
import type { Endpoint } from '../client/endpoint.ts';
import { repeat } from '../client/repeat.ts';
import { streamRequest } from '../client/stream-request.ts';
import { toRow, type Row } from '../row.ts';
import { interleave } from './interleave.ts';
import type { Measurement } from './measurement.ts';

const longPromptTokens = 1000;
/** Enough to see the answer start. */
const maxTokens = 8;
const runs = { atLeast: 3, atMost: 100 };

/** Time to the first token with the model loaded: a short question, and a prompt of 1,000 tokens. */
export const measureFirstToken: Measurement = async ({ options, hearth, other, signal }) => {
  const { rounds, budgetMs } = options;
  const prompts = [
    { name: 'short prompt', prefix: '', question: 'What is the capital of France?' },
    {
      name: `${longPromptTokens}-token prompt`,
      prefix: await filler(hearth.chat, longPromptTokens, signal),
      question: 'Tell me a story',
    },
  ];
  const rows: Row[] = [];
  let serial = 0;
  for (const { name, prefix, question } of prompts) {
    const samples = await interleave(rounds, { hearth, other }, (subject) =>
      repeat(budgetMs, runs, async () => {
        // No prompt comes twice: its beginning would be in the cache.
        serial += 1;
        const request = chatRequest(`${serial} ${prefix} ${question}`, maxTokens);
        return (await streamRequest(subject.chat, request, signal)).firstTokenMs;
      }),
    );
    const title = `TTFT, ${name}`;
    const target = { of: 'ratio', atMost: 1.1 } as const;
    rows.push(
      toRow({ name: `${title}, p50`, unit: 'ms', target }, samples.hearth, samples.other),
      toRow({ name: `${title}, p95`, unit: 'ms', fraction: 0.95 }, samples.hearth, samples.other),
    );
  }
  return rows;
};

/** A text that makes a prompt of about so many tokens. */
export async function filler(chat: Endpoint, tokens: number, signal: AbortSignal): Promise<string> {
  const words = (count: number): string => 'The tide comes and goes. '.repeat(count);
  const tokensOf = async (count: number): Promise<number> =>
    (await streamRequest(chat, chatRequest(words(count), maxTokens), signal)).promptTokens;
  const [one, many] = [await tokensOf(1), await tokensOf(51)];
  return words(Math.max(1, Math.round(1 + (tokens - one) / ((many - one) / 50))));
}
