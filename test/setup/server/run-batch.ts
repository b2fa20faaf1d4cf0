import { expect } from 'vitest';
import { get, post, toAnswer, type ApiInit } from './api.ts';

interface BatchResult {
  readonly custom_id: string;
  readonly error: unknown;
  readonly response: {
    readonly status_code: number;
    // Tests say what they expect.
    readonly body: any; // oxlint-disable-line typescript/no-explicit-any
  } | null;
}

/** Uploads a file of requests. @returns The file's id. */
export async function uploadRequests(
  url: string,
  content: string | Buffer<ArrayBuffer>,
  init: ApiInit = {},
): Promise<string> {
  const form = new FormData();
  form.set('purpose', 'batch');
  form.set('file', new Blob([content]), 'requests.jsonl');
  const { status, body } = await toAnswer(
    await fetch(`${url}/v1/files`, { ...init, method: 'POST', body: form }),
  );
  expect(status, JSON.stringify(body)).toBe(200);
  return body.id;
}

/** Runs a file of requests as a batch. @returns The batch after it has ended. */
export async function runBatchFile(
  url: string,
  endpoint: string,
  content: string | Buffer<ArrayBuffer>,
  init: ApiInit = {},
) {
  const input_file_id = await uploadRequests(url, content, init);
  const request = { input_file_id, endpoint, completion_window: '24h' };
  const { body: batch } = await post(url, '/v1/batches', request, init);
  const read = async () => (await get(url, `/v1/batches/${batch.id}`, init)).body;
  const hasEnded = async () => ['completed', 'failed'].includes((await read()).status);
  await expect.poll(hasEnded, { timeout: 60_000, interval: 100 }).toBe(true);
  return read();
}

/** Runs requests as a batch. @returns Their results by `custom_id`. */
export async function runBatch(
  url: string,
  endpoint: string,
  requests: ReadonlyMap<string, object>,
  init: ApiInit = {},
): Promise<ReadonlyMap<string, BatchResult>> {
  const lines = [...requests].map(([custom_id, body]) =>
    JSON.stringify({ custom_id, method: 'POST', url: endpoint, body }),
  );
  const batch = await runBatchFile(url, endpoint, lines.join('\n'), init);
  expect(batch.status, JSON.stringify(batch.errors)).toBe('completed');
  const results = new Map<string, BatchResult>();
  for (const id of [batch.output_file_id, batch.error_file_id]) {
    if (id === null) continue;
    const { body } = await get(url, `/v1/files/${id}/content`, init);
    for (const line of body.trim().split('\n')) {
      const result = JSON.parse(line) as BatchResult;
      results.set(result.custom_id, result);
    }
  }
  return results;
}
