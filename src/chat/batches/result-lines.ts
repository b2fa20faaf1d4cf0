import type { BatchError, BatchLine, BatchResult, StoredBatch } from '../../store/batches/batch.ts';
import type { Store } from '../../store/store.ts';
import { newBatchId } from './batch-id.ts';

/** The answer of the API to a request of a batch. */
export interface BatchAnswer {
  readonly status: number;
  readonly requestId: string;
  readonly body: unknown;
}

/** Formats the answer to a request as a line of the answer file or the error file. */
export function toResult({ customId }: BatchLine, answer: BatchAnswer): BatchResult {
  const { status, requestId, body } = answer;
  const response = { status_code: status, request_id: requestId, body };
  const line = { id: newBatchId('batch_req_'), custom_id: customId, response, error: null };
  return { isFailed: status >= 400, json: JSON.stringify(line) };
}

/** Formats an error for a request that can no longer be read from its file. */
export function toUnreadable({ customId }: BatchLine, { code, message }: BatchError): BatchResult {
  const id = newBatchId('batch_req_');
  const line = { id, custom_id: customId, response: null, error: { code, message } };
  return { isFailed: true, json: JSON.stringify(line) };
}

const reasons = {
  expired: {
    code: 'batch_expired',
    message: 'The request was not made before the completion window ended.',
  },
  cancelled: { code: 'batch_cancelled', message: 'The batch was cancelled before the request.' },
};
const linesPerStep = 500;

/** The lines of the answer file. */
export async function* answerLines(
  { batches }: Pick<Store, 'batches'>,
  { id }: StoredBatch,
): AsyncGenerator<Uint8Array> {
  for await (const json of batches.results(id, false)) yield Buffer.from(`${json}\n`);
}

/** The lines of the error file: requests that failed or were not made. */
export async function* errorLines(
  { batches }: Pick<Store, 'batches'>,
  { id, status }: StoredBatch,
): AsyncGenerator<Uint8Array> {
  for await (const json of batches.results(id, true)) yield Buffer.from(`${json}\n`);
  const error = reasons[status === 'cancelling' ? 'cancelled' : 'expired'];
  let after = 0;
  while (true) {
    const lines = await batches.pending(id, after, linesPerStep);
    for (const { line, customId } of lines) {
      after = line;
      const unmade = {
        id: newBatchId('batch_req_'),
        custom_id: customId,
        response: null,
        error,
      };
      yield Buffer.from(`${JSON.stringify(unmade)}\n`);
    }
    if (lines.length < linesPerStep) return;
  }
}
