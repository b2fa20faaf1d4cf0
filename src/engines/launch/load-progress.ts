import * as z from 'zod';
import { LineRing } from '../../platform/processes/line-ring.ts';

const linePrefix = 'cmd_child_to_router:state:';
const loadingState = z.object({
  state: z.literal('loading'),
  payload: z.object({
    stages: z.array(z.string()).min(1),
    current: z.string(),
    value: z.number().min(0).max(1),
  }),
});

const maxLineCharacters = 64 * 1024;

export interface LoadProgress {
  /** Parses a chunk of the engine's standard output. */
  accept(output: string): void;
  /** Reports 1, since the engine is ready. */
  finish(): void;
}

/**
 * Parses the load progress that llama-server writes to its standard output when it acts as the child of a router
 * (https://github.com/ggml-org/llama.cpp/pull/24828). If a build writes no progress, only the end is reported.
 *
 * @param onProgress Called with a fraction from 0 to 1 that never decreases. Each stage (weights, projector) counts
 *   equally.
 */
export function trackLoadProgress(onProgress: (fraction: number) => void): LoadProgress {
  const ring = new LineRing(1, maxLineCharacters);
  let highest = -1;
  const report = (fraction: number): void => {
    if (fraction <= highest) return;
    highest = fraction;
    onProgress(fraction);
  };
  return {
    accept: (output) => {
      for (const piece of output.split(/(?<=\n)/u)) {
        ring.append(piece);
        if (piece.endsWith('\n')) report(loadedFraction(ring.lines().at(-1) ?? '') ?? -1);
      }
    },
    finish: () => report(1),
  };
}

function loadedFraction(line: string): number | undefined {
  if (!line.startsWith(linePrefix)) return undefined;
  let state: unknown;
  try {
    state = JSON.parse(line.slice(linePrefix.length));
  } catch {
    return undefined;
  }
  const parsed = loadingState.safeParse(state);
  if (!parsed.success) return undefined;
  const { stages, current, value } = parsed.data.payload;
  return (Math.max(0, stages.indexOf(current)) + value) / stages.length;
}
