import { chatRequest, story } from '../client/chat-request.ts';
import type { Endpoint } from '../client/endpoint.ts';
import { repeat } from '../client/repeat.ts';
import { streamRequest } from '../client/stream-request.ts';
import { toRow } from '../row.ts';
import { quantile } from '../statistics.ts';
import { filler } from './first-token.ts';
import { interleave } from './interleave.ts';
import type { Measurement } from './measurement.ts';

const promptTokens = 1000;
const promptCount = 8;
const answerTokens = 8;
/** Enough tokens that the stream lasts longer than the prompts. */
const streamTokens = 3000;
const runs = { atLeast: 1, atMost: 10 };

interface Times {
  readonly gap: number;
  readonly all: number;
}

/** Measures how long a running stream stalls while long prompts arrive, and how long all prompts take. */
export const measureStalls: Measurement = async ({ options, hearth, other, signal }) => {
  const { rounds, budgetMs } = options;
  const prefix = await filler(hearth.chat, promptTokens, signal);
  let serial = 0;
  const times = await interleave(rounds, { hearth, other }, (subject) =>
    repeat(budgetMs, runs, () => {
      serial += 1;
      return interrupt(subject.chat, serial, prefix, signal);
    }),
  );
  const row = (name: string, value: (one: Times) => number, atMost: number) =>
    toRow(
      { name, unit: 'ms', target: { of: 'ratio', atMost } },
      times.hearth.map((round) => round.map(value)),
      times.other.map((round) => round.map(value)),
    );
  return [
    row(`gaps of a stream while ${promptCount} long prompts arrive, p99`, ({ gap }) => gap, 0.25),
    row(`${promptCount} long prompts beside a stream, all answers`, ({ all }) => all, 1.3),
  ];
};

async function interrupt(
  chat: Endpoint,
  serial: number,
  prefix: string,
  signal: AbortSignal,
): Promise<Times> {
  const { connection, path, model } = chat;
  const stopping = new AbortController();
  const until = AbortSignal.any([signal, stopping.signal]);
  const body = { model, stream: true, ...chatRequest(story, streamTokens) };
  const stream = await connection.openStream(path, body, until);
  try {
    await stream.read();
    let running = true;
    const watching = gapsUntil(stream, () => !running);
    const startedAt = performance.now();
    await Promise.all(
      Array.from({ length: promptCount }, (_, index) =>
        streamRequest(chat, chatRequest(`${serial}.${index} ${prefix} Why?`, answerTokens), signal),
      ),
    );
    const all = performance.now() - startedAt;
    running = false;
    return { gap: quantile(await watching, 0.99), all };
  } finally {
    stopping.abort();
    stream.close();
  }
}

/** Times between the events of a stream, in ms. */
async function gapsUntil(
  stream: { read(): Promise<readonly Buffer[] | undefined> },
  isOver: () => boolean,
): Promise<readonly number[]> {
  const gaps: number[] = [];
  let last = performance.now();
  while (!isOver()) {
    const chunks = await stream.read();
    const now = performance.now();
    gaps.push(now - last);
    last = now;
    if (chunks === undefined) break;
  }
  return gaps;
}
