import type { HttpClient, HttpGetOptions } from '../../platform/net/http-client.ts';

/** Reads the whole body of a small answer. @throws as `HttpClient.get`. */
export async function readBody(
  http: HttpClient,
  url: URL,
  options: HttpGetOptions,
): Promise<Buffer> {
  const { body } = await http.get(url, options);
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return Buffer.concat(pieces);
}
