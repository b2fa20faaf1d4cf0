import { postRaw, type ApiInit } from './api.ts';

/** Sends a POST request and reads a whole stream of JSON lines. */
export async function postForLines(
  url: string,
  path: string,
  body: unknown,
  init: ApiInit = {},
  // oxlint-disable-next-line typescript/no-explicit-any -- tests say what they expect
): Promise<readonly any[]> {
  const response = await postRaw(url, path, JSON.stringify(body), init);
  const text = await response.text();
  if (response.headers.get('content-type') !== 'application/x-ndjson') {
    throw new Error(`No lines of JSON but ${response.status}: ${text}`);
  }
  if (!text.endsWith('\n')) throw new Error(`The last line has no end: ${text.slice(-200)}`);
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}
