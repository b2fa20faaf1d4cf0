import { readdir } from 'node:fs/promises';
import { residentBytes } from '../../src/engines/launch/memory-watch.ts';
import { get } from '../setup/server/api.ts';
import type { HearthProcess } from '../setup/server/hearth-process.ts';

/** Resource use of a server at one moment. */
export interface ProcessFigures {
  readonly residentMiB: number;
  /** Open file descriptors. Linux only. */
  readonly descriptors: number;
  /** 99th percentile of the event loop's delay since the last call. */
  readonly loopDelayMs: number;
}

export async function readFigures({ pid, url }: HearthProcess): Promise<ProcessFigures> {
  const { body } = await get(url, '/metrics');
  const delay = /^nodejs_eventloop_lag_p99_seconds(?:\{\})? (\S+)$/m.exec(String(body))?.[1];
  return {
    residentMiB: ((await residentBytes(pid)) ?? 0) / 2 ** 20,
    descriptors: await countDescriptors(pid),
    loopDelayMs: Number(delay) * 1000,
  };
}

/** Open file descriptors of a process. Linux only. */
export async function countDescriptors(pid: number): Promise<number> {
  return (await readdir(`/proc/${pid}/fd`)).length;
}
