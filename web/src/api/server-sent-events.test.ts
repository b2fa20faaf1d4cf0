import { expect, it } from 'vitest';
import { readServerSentEvents } from './server-sent-events.ts';

function bodyOf(
  ...parts: readonly Uint8Array<ArrayBuffer>[]
): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
}

it('reads events that arrive in pieces, also within a character', async () => {
  const bytes = new TextEncoder().encode(
    'event: message.delta\nid: 7\ndata: {"content":"é"}\n\n: comment\n\ndata: last\n\n',
  );
  const events = [];
  for await (const event of readServerSentEvents(bodyOf(bytes.slice(0, 46), bytes.slice(46)))) {
    events.push(event);
  }
  expect(events).toMatchObject([
    { event: 'message.delta', id: '7', data: '{"content":"é"}' },
    { event: 'message', id: undefined, data: 'last' },
  ]);
});

it('waits when nothing is left to read', async () => {
  const order: string[] = [];
  const later = ['data: 3\n\n'];
  let source: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>> | undefined;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: (controller) => {
      source = controller;
      for (const data of ['data: 1\n\n', 'data: 2\n\n']) {
        controller.enqueue(new TextEncoder().encode(data));
      }
    },
  });
  const pause = async () => {
    order.push('pause');
    const data = later.shift();
    if (data === undefined) source?.close();
    else source?.enqueue(new TextEncoder().encode(data));
  };
  for await (const { data } of readServerSentEvents(body, pause)) order.push(data);
  expect(order).toEqual(['1', '2', 'pause', '3', 'pause']);
});

it('cancels the body when the loop is left', async () => {
  let isCancelled = false;
  const endless = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: (controller) => controller.enqueue(new TextEncoder().encode('data: again\n\n')),
    cancel: () => {
      isCancelled = true;
    },
  });
  for await (const event of readServerSentEvents(endless)) {
    expect(event.data).toBe('again');
    break;
  }
  expect(isCancelled).toBe(true);
});
