import { createParser } from 'eventsource-parser';

export interface SseEvent {
  readonly event: string | undefined;
  readonly data: string;
}

/** A JSON response of the server under test. The type of its body is unknown on purpose: tests check it. */
export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: any; // oxlint-disable-line typescript/no-explicit-any
}

/** The part of `fetch` that tests use, with headers as a plain object. */
export type ApiInit = Omit<RequestInit, 'headers'> & {
  readonly headers?: Readonly<Record<string, string>>;
};

export async function get(url: string, path: string, init: ApiInit = {}): Promise<ApiAnswer> {
  return toAnswer(await fetch(url + path, init));
}

export async function post(
  url: string,
  path: string,
  body: unknown,
  init: ApiInit = {},
): Promise<ApiAnswer> {
  return toAnswer(await postRaw(url, path, JSON.stringify(body), init));
}

export function postRaw(
  url: string,
  path: string,
  body: string | Uint8Array<ArrayBuffer>,
  init: ApiInit = {},
): Promise<Response> {
  return fetch(url + path, {
    method: 'POST',
    body,
    ...init,
    headers: { 'content-type': 'application/json', ...init.headers },
  });
}

/** Sends a POST request and reads the whole event stream. */
export async function stream(
  url: string,
  path: string,
  body: Readonly<Record<string, unknown>>,
  init: ApiInit = {},
): Promise<readonly SseEvent[]> {
  const response = await postRaw(url, path, JSON.stringify({ ...body, stream: true }), init);
  const text = await response.text();
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
    throw new Error(`No event stream but ${response.status}: ${text}`);
  }
  const events: SseEvent[] = [];
  createParser({ onEvent: ({ event, data }) => events.push({ event, data }) }).feed(text);
  return events;
}

/** Reads the whole body. */
export async function toAnswer(response: Response): Promise<ApiAnswer> {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
  return {
    status: response.status,
    headers: response.headers,
    body: isJson ? JSON.parse(text) : text,
  };
}
