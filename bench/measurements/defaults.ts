import { spawn } from 'node:child_process';
import { residentBytes } from '../../src/engines/launch/memory-watch.ts';
import { chatRequest } from '../client/chat-request.ts';
import { streamRequest } from '../client/stream-request.ts';
import { toRow, type Row, type Target } from '../row.ts';
import type { DefaultServer, DefaultServers } from '../subjects/default-servers.ts';
import { measureFirstToken } from './first-token.ts';
import { interleave } from './interleave.ts';
import type { Bench, Measurement } from './measurement.ts';
import { measureThroughput } from './throughput.ts';

const streams = [1, 4, 8];
const speedTarget: Target = { of: 'ratio', atLeast: 0.97 };
const busySpeedTarget: Target = { of: 'ratio', atLeast: 3 };
const startTarget: Target = { of: 'ratio', atMost: 1.5 };
const memoryTarget: Target = { of: 'ratio', atMost: 1.25 };

/**
 * Compares both servers with their default settings: start, speed on a quiet machine and with a program that keeps one
 * core busy, time to the first token, and memory.
 */
export const measureDefaults: Measurement = async (bench) => {
  const servers = await bench.prepareDefaults();
  try {
    const rows = [
      ...(await measureStarts(bench, servers)),
      ...(await measureRunning(bench, servers)),
    ];
    return rows.map((row) => ({ ...row, name: `defaults, ${row.name}` }));
  } finally {
    await servers.close();
  }
};

async function measureStarts(
  { options, signal }: Bench,
  { startHearth, startBare }: DefaultServers,
): Promise<readonly Row[]> {
  const sides = { hearth: startHearth, other: startBare };
  const samples = await interleave(options.rounds, sides, async (start) => {
    const startedAt = performance.now();
    const server = await start();
    try {
      const requestedAt = performance.now();
      const { firstTokenMs } = await streamRequest(server.chat, chatRequest('Hello!', 8), signal);
      return [requestedAt - startedAt + firstTokenMs];
    } finally {
      await server.stop();
    }
  });
  const row = { name: 'start to first token', unit: 'ms', target: startTarget };
  return [toRow(row, samples.hearth, samples.other)];
}

async function measureRunning(
  bench: Bench,
  { startHearth, startBare }: DefaultServers,
): Promise<readonly Row[]> {
  const hearth = await startHearth();
  try {
    const other = await startBare();
    try {
      return await measurePair(bench, hearth, other);
    } finally {
      await other.stop();
    }
  } finally {
    await hearth.stop();
  }
}

async function measurePair(
  bench: Bench,
  hearth: DefaultServer,
  other: DefaultServer,
): Promise<readonly Row[]> {
  const pair = {
    ...bench,
    options: { ...bench.options, streams },
    // CPU time is not compared.
    hearth: { ...bench.hearth, chat: hearth.chat, processes: undefined },
    other: { ...bench.other, chat: other.chat, processes: undefined },
  };
  const quiet = await measureThroughput(pair, () => speedTarget);
  const first = await measureFirstToken(pair);
  const busy = await withBusyCore(() =>
    measureThroughput(
      { ...pair, options: { ...pair.options, streams: [1] } },
      () => busySpeedTarget,
    ),
  );
  const memory = toRow(
    { name: 'resident memory of all processes', unit: 'MB', target: memoryTarget },
    [[await residentMegabytes(hearth)]],
    [[await residentMegabytes(other)]],
  );
  return [
    ...quiet,
    ...first,
    ...busy.map((row) => ({ ...row, name: `${row.name}, one core busy` })),
    memory,
  ];
}

async function withBusyCore<Result>(work: () => Promise<Result>): Promise<Result> {
  const program = spawn(process.execPath, ['--eval', 'for (;;);'], { stdio: 'ignore' });
  try {
    return await work();
  } finally {
    program.kill('SIGKILL');
  }
}

async function residentMegabytes(server: DefaultServer): Promise<number> {
  const bytes = await Promise.all((await server.pids()).map((pid) => residentBytes(pid)));
  return bytes.reduce((sum: number, value) => sum + (value ?? 0), 0) / 1e6;
}
