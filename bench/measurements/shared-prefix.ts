import { chatMessages } from '../client/chat-request.ts';
import type { Endpoint } from '../client/endpoint.ts';
import { repeat } from '../client/repeat.ts';
import { streamRequest } from '../client/stream-request.ts';
import { toRow } from '../row.ts';
import { quantile } from '../statistics.ts';
import { filler } from './first-token.ts';
import { interleave } from './interleave.ts';
import type { Measurement } from './measurement.ts';

const prefixTokens = 1000;
const width = 8;
const maxTokens = 8;
const runs = { atLeast: 1, atMost: 20 };

interface Times {
  readonly cold: number;
  readonly single: number;
  readonly warm: number;
}

/** Measures the time to the first token of requests that arrive together and share a system prompt, both cached and not. */
export const measureSharedPrefix: Measurement = async ({ options, hearth, other, signal }) => {
  const { rounds, budgetMs } = options;
  const prefix = await filler(hearth.chat, prefixTokens, signal);
  let serial = 0;
  const times = await interleave(rounds, { hearth, other }, (subject) =>
    repeat(budgetMs, runs, () => {
      serial += 1;
      return askTogether(subject.chat, `${serial} ${prefix}`, signal);
    }),
  );
  const row = (name: string, value: (one: Times) => number, atMost?: number) =>
    toRow(
      { name, unit: 'ms', ...(atMost === undefined ? {} : { target: { of: 'ratio', atMost } }) },
      times.hearth.map((round) => round.map(value)),
      times.other.map((round) => round.map(value)),
    );
  const title = `${width} requests with a prefix of ${prefixTokens} tokens`;
  return [
    row(`TTFT, ${title}, p50`, ({ cold }) => cold, 0.4),
    row('TTFT, 1 request, the prefix read before', ({ single }) => single),
    row(`TTFT, ${width} requests, the prefix read before, p50`, ({ warm }) => warm),
  ];
};

async function askTogether(chat: Endpoint, prefix: string, signal: AbortSignal): Promise<Times> {
  const ask = async (question: string): Promise<number> => {
    const messages = [
      { role: 'system', content: prefix },
      { role: 'user', content: question },
    ] as const;
    return (await streamRequest(chat, chatMessages(messages, maxTokens), signal)).firstTokenMs;
  };
  const all = (round: string): Promise<number[]> =>
    Promise.all(Array.from({ length: width }, (_, index) => ask(`${round} question ${index}?`)));
  const cold = quantile(await all('First'), 0.5);
  const single = await ask('Single question?');
  return { cold, single, warm: quantile(await all('Second'), 0.5) };
}
