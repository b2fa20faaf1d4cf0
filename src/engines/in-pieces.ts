import type { Operation } from '../kernel/request/request-record.ts';
import type { RequestContext } from '../kernel/request/request-context.ts';

/** Number of inputs in one call. Other requests can run between two calls. */
const pieceLength = 32;

interface Counted {
  readonly promptTokens: number;
}

/** Embeds or ranks the inputs in several calls, which are recorded as one generation. */
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
