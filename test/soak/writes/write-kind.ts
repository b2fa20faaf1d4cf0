import { setTimeout } from 'node:timers/promises';
import { get, post, toAnswer, type ApiAnswer } from '../../setup/server/api.ts';
import type { WriteLedger } from './write-ledger.ts';

export interface WrittenServer {
  readonly url: string;
  readonly home: string;
  /** Headers with a token that has all permissions. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface Writing {
  readonly server: WrittenServer;
  readonly ledger: WriteLedger;
  readonly random: () => number;
  /** Number of the client, from 0. A client makes one write after the other. */
  readonly client: number;
  /** A name that no other write uses. */
  readonly name: string;
}

/** A kind of write, which clients repeat until the server is killed. */
export interface WriteKind {
  readonly name: string;
  write(writing: Writing): Promise<void>;
  /** Reads the server's value for a key, in the format of the ledger. */
  read(server: WrittenServer, key: string): Promise<unknown>;
  /** Names of everything that the server lists: each write may appear only once. */
  list?(server: WrittenServer): Promise<readonly string[]>;
}

/** The body of a response, whose status must be 200. */
export function succeeded({ status, body }: ApiAnswer): ApiAnswer['body'] {
  if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`);
  return body;
}

export async function send(
  { url, headers }: WrittenServer,
  path: string,
  body: unknown,
  method = 'POST',
): Promise<ApiAnswer['body']> {
  return succeeded(await post(url, path, body, { method, headers }));
}

export async function remove({ url, headers }: WrittenServer, path: string): Promise<void> {
  succeeded(await get(url, path, { method: 'DELETE', headers }));
}

/** The body; undefined if the thing does not exist. */
export async function find(
  { url, headers }: WrittenServer,
  path: string,
): Promise<ApiAnswer['body']> {
  const answer = await get(url, path, { headers });
  return answer.status === 404 ? undefined : succeeded(answer);
}

/** All entries of a paginated list; `parameter` is the query field for the next page. */
export async function listAll(
  server: WrittenServer,
  path: string,
  field: string,
  parameter: string,
): Promise<ApiAnswer['body'][]> {
  const entries: ApiAnswer['body'][] = [];
  let cursor: string | null = null;
  do {
    const after: string = cursor === null ? '' : `&${parameter}=${cursor}`;
    const body = await find(server, `${path}?limit=100${after}`);
    entries.push(...body[field]);
    cursor = body.next_cursor;
  } while (cursor !== null);
  return entries;
}

/** Waits for the first value that passes. Unlike `expect.poll`, ends as soon as the server is gone. */
export async function waitUntil<Value>(
  read: () => Promise<Value>,
  isReached: (value: Value) => boolean,
): Promise<Value> {
  const deadline = performance.now() + 60_000;
  for (;;) {
    const value = await read();
    if (isReached(value)) return value;
    if (performance.now() > deadline) throw new Error(`It is still ${JSON.stringify(value)}.`);
    await setTimeout(20);
  }
}

export function pick<Item>(random: () => number, items: readonly Item[]): Item | undefined {
  return items[Math.floor(random() * items.length)];
}

/** @returns The id of the file. */
export async function uploadFile(
  { url, headers }: WrittenServer,
  name: string,
  text: string,
): Promise<string> {
  const form = new FormData();
  form.set('purpose', 'batch');
  form.set('file', new Blob([text]), name);
  const response = await fetch(`${url}/v1/files`, { method: 'POST', body: form, headers });
  return succeeded(await toAnswer(response)).id;
}
