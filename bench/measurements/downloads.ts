import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import {
  connectEngine,
  type EngineConnection,
  type EngineReply,
} from '../../src/platform/net/engine-connection.ts';
import { residentBytes } from '../../src/engines/launch/memory-watch.ts';
import { toRow } from '../row.ts';
import {
  benchFileBytes,
  benchRepository,
  startFakeHubProcess,
} from '../subjects/fake-hub-process.ts';
import { startHearth } from '../subjects/hearth-process.ts';
import { interleave } from './interleave.ts';
import type { Measurement } from './measurement.ts';

const megabyte = 1e6;
/** Polling interval: long enough to cost little, short enough to time a download of half a second. */
const lookEveryMs = 25;

interface DownloadResult {
  /** Time until the last byte has arrived. */
  readonly arrivedMs: number;
  /** Time until the content is checked and flushed to the disk. */
  readonly checkedMs: number;
  /** Growth of the memory during the download. */
  readonly grownMegabytes: number;
}

/**
 * Compares downloads of a file of 200 MB from a hub on this machine, through Hearth and with curl. Hearth checks the
 * hash and flushes the file to the disk, so curl is followed by `sha256sum` and `sync`.
 */
export const measureDownloads: Measurement = async ({ options, signal }) => {
  const home = await mkdtemp(join(tmpdir(), 'hearth-bench-downloads-'));
  const cleanups: (() => Promise<unknown>)[] = [() => rm(home, { recursive: true, force: true })];
  try {
    const hub = await startFakeHubProcess(signal);
    const { url, fileUrl } = hub.addresses;
    cleanups.push(() => hub.stop());
    const { threads, parallel, profile } = options;
    const settings = { home, threads, parallel, profile };
    const flags = [`--hub-endpoint=${url}`];
    const server = await startHearth({ ...settings, flags }, signal);
    cleanups.push(() => server.stop());
    const connection = connectEngine({ address: { origin: server.url }, maxConnections: 2 });
    cleanups.push(() => connection.close());

    const byHearth = async (): Promise<DownloadResult> => {
      await rm(join(home, 'models', benchRepository), { recursive: true, force: true });
      return download(connection, server.pid, signal);
    };
    const byCurl = () => downloadWithCurl(fileUrl, join(home, 'curl.out'), signal);
    const results = await interleave(options.rounds, { hearth: byHearth, other: byCurl }, (run) =>
      run(),
    );
    const speeds = (of: readonly DownloadResult[], until: 'arrivedMs' | 'checkedMs') =>
      of.map((result) => [benchFileBytes / megabyte / (result[until] / 1000)]);
    return [
      toRow(
        {
          name: 'download of 200 MB, beside curl',
          unit: 'MB/s',
          target: { of: 'ratio', atLeast: 0.9 },
        },
        speeds(results.hearth, 'arrivedMs'),
        speeds(results.other, 'arrivedMs'),
      ),
      toRow(
        { name: 'the same, checked and on the disk', unit: 'MB/s' },
        speeds(results.hearth, 'checkedMs'),
        speeds(results.other, 'checkedMs'),
      ),
      toRow(
        {
          name: 'memory grown during a download',
          unit: 'MB',
          target: { of: 'Hearth', atMost: 30 },
        },
        results.hearth.map(({ grownMegabytes }) => [grownMegabytes]),
      ),
    ];
  } finally {
    for (const cleanup of cleanups.toReversed()) await cleanup();
  }
};

interface JobRecord {
  readonly job_id: string;
  readonly status: string;
  readonly downloaded_bytes: number;
}

async function download(
  connection: EngineConnection,
  pid: number,
  signal: AbortSignal,
): Promise<DownloadResult> {
  const before = (await residentBytes(pid)) ?? 0;
  let most = before;
  const startedAt = performance.now();
  let arrivedMs = 0;
  const started = jobOf(
    await connection.postJson('/api/v1/models/download', { model: benchRepository }, signal),
  );
  for (;;) {
    const path = `/api/v1/models/download/status/${started.job_id}`;
    const job = jobOf(await connection.getJson(path, signal));
    most = Math.max(most, (await residentBytes(pid)) ?? 0);
    const isThere = job.downloaded_bytes === benchFileBytes;
    if (isThere && arrivedMs === 0) arrivedMs = performance.now() - startedAt;
    if (job.status === 'completed') break;
    if (job.status !== 'downloading') throw new Error(`the download is ${job.status}`);
    await delay(lookEveryMs, undefined, { signal });
  }
  return {
    arrivedMs,
    checkedMs: performance.now() - startedAt,
    grownMegabytes: (most - before) / megabyte,
  };
}

function jobOf({ status, body }: EngineReply): JobRecord {
  if (status === 200) return body as JobRecord;
  throw new Error(`the download was answered with ${status}: ${JSON.stringify(body)}`);
}

async function downloadWithCurl(
  url: string,
  target: string,
  signal: AbortSignal,
): Promise<DownloadResult> {
  const run = promisify(execFile);
  await rm(target, { force: true });
  const startedAt = performance.now();
  await run('curl', ['--silent', '--fail', '--output', target, url], { signal });
  const arrivedMs = performance.now() - startedAt;
  await run('sha256sum', [target], { signal });
  await run('sync', [target], { signal });
  return { arrivedMs, checkedMs: performance.now() - startedAt, grownMegabytes: 0 };
}
