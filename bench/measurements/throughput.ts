import { chatRequest, story } from '../client/chat-request.ts';
import { repeatConcurrently } from '../client/repeat.ts';
import { streamRequest } from '../client/stream-request.ts';
import { cpuMicroseconds } from '../process-usage.ts';
import { toRow, type Row, type Target } from '../row.ts';
import type { Subject } from '../subjects/subject.ts';
import { interleave } from './interleave.ts';
import type { StreamBench } from './measurement.ts';

interface Run {
  readonly tokensPerSecond: number;
  /** CPU time per token in µs; `engineCpu` is the engine's, `frontCpu` the process's in front of it. */
  readonly frontCpu: number | undefined;
  readonly engineCpu: number | undefined;
}

/** Target for this number of streams. */
export type SpeedTarget = (bench: StreamBench, streams: number) => Target | undefined;

/** Measures the tokens per second of several clients that stream stories, and the CPU time of a token. */
export async function measureThroughput(
  bench: StreamBench,
  targetOf: SpeedTarget = speedTarget,
): Promise<readonly Row[]> {
  const { options, hearth, other, signal } = bench;
  const { streams, rounds, budgetMs, maxTokens } = options;
  const request = chatRequest(story, maxTokens);
  // The first request warms up; the second shows how many fit into the time.
  await streamRequest(other.chat, request, signal);
  await streamRequest(hearth.chat, request, signal);
  const startedAt = performance.now();
  await streamRequest(other.chat, request, signal);
  const requestMs = performance.now() - startedAt;

  const rows: Row[] = [];
  for (const width of streams) {
    const count = width * Math.max(1, Math.round(budgetMs / requestMs / width));
    const runs = await interleave(rounds, { hearth, other }, (subject) =>
      runStories(subject, width, count, request, signal),
    );
    const name = width === 1 ? '1 stream' : `${width} streams`;
    rows.push(
      toRow(
        { name, unit: 'tokens/s', target: targetOf(bench, width) },
        runs.hearth.map((run) => [run.tokensPerSecond]),
        runs.other.map((run) => [run.tokensPerSecond]),
      ),
      ...cpuRows(name, runs.hearth, runs.other),
    );
  }
  return rows;
}

async function runStories(
  { chat, processes }: Pick<Subject, 'chat' | 'processes'>,
  width: number,
  count: number,
  request: object,
  signal: AbortSignal,
): Promise<Run> {
  const usage = () => ({
    front: processes?.frontPid === undefined ? undefined : cpuMicroseconds(processes.frontPid),
    engine: processes === undefined ? undefined : cpuMicroseconds(processes.enginePid),
  });
  const before = usage();
  const startedAt = performance.now();
  const answers = await repeatConcurrently(count, width, () =>
    streamRequest(chat, request, signal),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  const after = usage();
  const tokens = answers.reduce((sum, { completionTokens }) => sum + completionTokens, 0);
  const perToken = (from: number | undefined, to: number | undefined): number | undefined =>
    from === undefined || to === undefined ? undefined : (to - from) / tokens;
  return {
    tokensPerSecond: tokens / seconds,
    frontCpu: perToken(before.front, after.front),
    engineCpu: perToken(before.engine, after.engine),
  };
}

function cpuRows(name: string, hearth: readonly Run[], other: readonly Run[]): readonly Row[] {
  const front = samples(hearth, 'frontCpu');
  const engine = samples(hearth, 'engineCpu');
  const otherEngine = samples(other, 'engineCpu');
  const unit = 'µs CPU/token';
  const target: Target = { of: 'Hearth', atMost: 50 };
  return [
    ...(front === undefined
      ? []
      : [toRow({ name: `${name}, Hearth itself`, unit, target }, front)]),
    ...(engine === undefined
      ? []
      : [toRow({ name: `${name}, engine`, unit }, engine, otherEngine)]),
  ];
}

/** Undefined if CPU times can't be measured. */
function samples(
  runs: readonly Run[],
  field: 'frontCpu' | 'engineCpu',
): readonly (readonly number[])[] | undefined {
  const values = runs.map((run) => run[field]).filter((value) => value !== undefined);
  return values.length === runs.length ? values.map((value) => [value]) : undefined;
}

function speedTarget({ isStarter }: StreamBench, width: number): Target | undefined {
  if (width === 1) return { of: 'ratio', atLeast: isStarter ? 0.85 : 0.97 };
  if (width === 16) return { of: 'ratio', atLeast: isStarter ? 0.85 : 0.97 };
  if (width === 8) return { of: 'ratio', atLeast: isStarter ? 0.85 : 1 };
  return undefined;
}
