import { setTimeout as delay } from 'node:timers/promises';
import { chatRequest, story } from '../client/chat-request.ts';
import { threadMicroseconds } from '../process-usage.ts';
import { toRow } from '../row.ts';
import type { Subject } from '../subjects/subject.ts';
import { alone, interleave } from './interleave.ts';
import type { Measurement } from './measurement.ts';

/** Far more tokens than are generated until the clients disconnect. */
const maxTokens = 2048;
const pollMs = 2;
/** An engine that uses less than this share of CPU time counts as idle. */
const idleShare = 0.1;
/** Minimum duration of idleness. */
const idleWindowMs = 20;

/** Measures the time from when all clients disconnect, in the middle of their answers, until the engine is idle. */
export const measureDisconnect: Measurement = async ({ options, hearth, other, signal }) => {
  if (threadMicroseconds(process.pid) === undefined) return [];
  const { rounds, parallel } = options;
  const name = `disconnect to idle, ${parallel} streams`;
  const target = { of: 'Hearth', atMost: 300 } as const;
  const measure = async (subject: Subject): Promise<readonly number[]> => [
    await leaveTogether(subject, parallel, signal),
  ];
  const row = { name, unit: 'ms', target };
  if (other.processes === undefined) {
    return [toRow(row, await alone(rounds, () => measure(hearth)))];
  }
  const samples = await interleave(rounds, { hearth, other }, measure);
  return [toRow(row, samples.hearth, samples.other)];
};

async function leaveTogether(
  { chat, processes }: Subject,
  streamCount: number,
  signal: AbortSignal,
): Promise<number> {
  const { connection, path, model } = chat;
  const body = { model, stream: true, ...chatRequest(story, maxTokens) };
  const streams = await Promise.all(
    Array.from({ length: streamCount }, async () => {
      const stream = await connection.openStream(path, body, signal);
      await stream.read();
      return stream;
    }),
  );
  const leftAt = performance.now();
  for (const stream of streams) stream.close();
  const idleAt = await waitUntilIdle(processes?.enginePid ?? 0, signal);
  return Math.max(0, idleAt - leftAt);
}

/** Start of the first window in which a process is idle. */
async function waitUntilIdle(pid: number, signal: AbortSignal): Promise<number> {
  let windowStart = performance.now();
  let computedBefore = threadMicroseconds(pid) ?? 0;
  for (;;) {
    await delay(pollMs, undefined, { signal });
    const now = performance.now();
    const computed = threadMicroseconds(pid) ?? 0;
    if (computed - computedBefore > idleShare * idleWindowMs * 1000) {
      windowStart = now;
      computedBefore = computed;
    } else if (now - windowStart >= idleWindowMs) {
      return windowStart;
    }
  }
}
