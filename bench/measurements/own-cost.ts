import { chatRequest, story } from '../client/chat-request.ts';
import { post } from '../client/post.ts';
import { repeatConcurrently } from '../client/repeat.ts';
import { streamRequest } from '../client/stream-request.ts';
import type { Endpoint } from '../client/endpoint.ts';
import { threadMicroseconds } from '../process-usage.ts';
import { toRow, type Row, type Target } from '../row.ts';
import { interleave } from './interleave.ts';
import type { Bench, Measurement } from './measurement.ts';

const target: Target = { of: 'ratio', atMost: 1.5 };
/** Enough tokens that V8's garbage collections are included. */
const tokensOfRound = 2000;
const requestsOfRound = 200;

/** A process in front of the engine: Hearth or a pipe. */
interface Front {
  readonly chat: Endpoint;
  readonly pid: number;
}

interface Fronts {
  readonly hearth: Front;
  readonly other: Front;
}

/**
 * Compares the CPU time of Hearth with a Node.js process that forwards the same requests and bytes to the same engine:
 * for each token of a stream, and for each short answer.
 */
export const measureOwnCost: Measurement = async (bench) => {
  const { hearth, other } = bench;
  if (other.startPipe === undefined) return [];
  const pipe = await other.startPipe();
  try {
    const path = pipe.chat.path;
    const fronts = {
      hearth: { chat: { ...hearth.chat, path }, pid: hearth.processes.frontPid },
      other: pipe,
    };
    const rows = [
      await measureTokens(bench, fronts, 1),
      await measureTokens(bench, fronts, 8),
      await measureShortAnswers(bench, fronts),
    ];
    return rows.map((row) => ({ ...row, name: `own cost, ${row.name}` }));
  } finally {
    await pipe.close();
  }
};

async function measureTokens(
  { options, signal }: Bench,
  fronts: Fronts,
  streams: number,
): Promise<Row> {
  const { rounds, maxTokens, isQuick } = options;
  const request = chatRequest(story, maxTokens);
  const ask = (front: Front) => streamRequest(front.chat, request, signal);
  await ask(fronts.hearth);
  const { completionTokens } = await ask(fronts.other);
  const wanted = Math.ceil((isQuick ? 100 : tokensOfRound) / completionTokens);
  const count = Math.max(wanted, streams);
  const samples = await interleave(rounds, fronts, async (front) => {
    const before = usage(front);
    const answers = await repeatConcurrently(count, streams, () => ask(front));
    const tokens = answers.reduce((sum, answer) => sum + answer.completionTokens, 0);
    return [(usage(front) - before) / tokens];
  });
  const name = streams === 1 ? '1 stream' : `${streams} streams`;
  return toRow({ name, unit: 'µs CPU/token', target }, samples.hearth, samples.other);
}

async function measureShortAnswers({ options, signal }: Bench, fronts: Fronts): Promise<Row> {
  const count = options.isQuick ? 20 : requestsOfRound;
  const { stream_options: _, ...request } = chatRequest('Hello!', 4) as Record<string, unknown>;
  const ask = (front: Front) =>
    repeatConcurrently(count, 1, () => post(front.chat, request, signal));
  await ask(fronts.hearth);
  await ask(fronts.other);
  const samples = await interleave(options.rounds, fronts, async (front) => {
    const before = usage(front);
    await ask(front);
    return [(usage(front) - before) / 1000 / count];
  });
  return toRow({ name: 'short answer', unit: 'ms CPU/request' }, samples.hearth, samples.other);
}

function usage({ pid }: Front): number {
  return threadMicroseconds(pid) ?? NaN;
}
