import { createParser } from 'eventsource-parser';
import type { PeerAnswer, PeerRequest } from './peer-case.ts';

/** Sends a request and reads the whole response, including streams. */
export async function sendRequest(url: string, request: PeerRequest): Promise<PeerAnswer> {
  const { path, body, headers = {} } = request;
  const method = request.method ?? (body === undefined ? 'GET' : 'POST');
  const sent = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(url + path, {
    method,
    headers: { ...(sent === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(sent === undefined ? {} : { body: sent }),
  });
  const text = await response.text();
  const type = response.headers.get('content-type') ?? '';
  const { status, headers: answerHeaders } = response;
  return {
    status,
    headers: answerHeaders,
    body: type.startsWith('application/json') && text !== '' ? JSON.parse(text) : text,
    events: parseEvents(type, text),
  };
}

function parseEvents(type: string, text: string): readonly unknown[] {
  if (type.startsWith('application/x-ndjson')) {
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  }
  const events: unknown[] = [];
  if (type.startsWith('text/event-stream')) {
    const onEvent = ({ data }: { readonly data: string }) => {
      events.push(data === '[DONE]' ? data : JSON.parse(data));
    };
    createParser({ onEvent }).feed(text);
  }
  return events;
}
