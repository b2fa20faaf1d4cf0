import type { Operation } from '../telemetry/request-record.ts';
import type { RequestContext } from '../telemetry/request-context.ts';

/** Inputs that are embedded or ranked at once; other requests run between two pieces. */
const pieceLength = 32;

interface Counted {
  readonly promptTokens: number;
}

/** Runs a call without a stream for each piece of its inputs, and records all as one generation. */
export async function inPieces<Input, Result extends Counted>(
  { record }: RequestContext,
  operation: Operation,
  inputs: readonly Input[],
  run: (piece: readonly Input[]) => Promise<Result>,
): Promise<Counted & { readonly parts: readonly Result[] }> {
  const parts: Result[] = [];
  let promptTokens = 0;
  const generation = record.beginGeneration(operation);
  try {
    for (let start = 0; start < Math.max(1, inputs.length); start += pieceLength) {
      const part = await run(inputs.slice(start, start + pieceLength));
      parts.push(part);
      promptTokens += part.promptTokens;
    }
    generation.end({ usage: { promptTokens } });
    return { parts, promptTokens };
  } finally {
    generation.end({ hasFailed: true });
  }
}
