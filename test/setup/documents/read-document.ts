import { postRaw, toAnswer, type ApiAnswer } from '../server/api.ts';

/** Sends a file to `POST /api/v1/documents/text`. */
export async function readDocument(
  url: string,
  name: string,
  bytes: Buffer,
  headers: Readonly<Record<string, string>> = {},
): Promise<ApiAnswer> {
  const path = `/api/v1/documents/text?${new URLSearchParams({ name }).toString()}`;
  const type = { 'content-type': 'application/octet-stream' };
  return toAnswer(
    await postRaw(url, path, Uint8Array.from(bytes), { headers: { ...type, ...headers } }),
  );
}
