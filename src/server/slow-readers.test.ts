import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { mount, type App } from '../api/kit/mount.ts';
import { listen, type ListeningServer } from './server.ts';
import { eventStream, type SseMessage } from '../api/kit/stream/sse.ts';
import { createTestApp } from '../../test/setup/http/test-app.ts';
import { openStream, wait } from '../../test/setup/http/test-routes.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

async function serve(
  v1Routes: (app: App) => void,
  options: { readonly stallLimitMs?: number } = {},
) {
  const { app, logger, logLines } = createTestApp({ v1Routes });
  const server = await listen({ app, host: '127.0.0.1', port: 0, logger, ...options });
  closers.push(() => server.close(0));
  return { server, logLines };
}

/** Asks for a stream and reads nothing of it. */
function askWithoutReading({ port }: ListeningServer): Socket {
  const socket = connect(port, '127.0.0.1').pause();
  socket.on('error', () => {});
  socket.write('POST /api/v1/stream HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n');
  closers.push(() => socket.destroy());
  return socket;
}

describe('a client that reads slowly', () => {
  it('slows the source down to what the socket takes', async () => {
    const data = 'x'.repeat(10_000);
    let produced = 0;
    const { server } = await serve((app) => {
      async function* source(): AsyncGenerator<SseMessage> {
        for (; produced < 10_000; produced += 1) {
          yield { data };
          await new Promise(setImmediate);
        }
      }
      mount(app, openStream, async ({ context }) => eventStream(source(), context));
    });
    const socket = askWithoutReading(server);
    let before = -1;
    await vi.waitFor(
      () => {
        const isStill = produced > 0 && produced === before;
        before = produced;
        expect(isStill).toBe(true);
      },
      { interval: 200, timeout: 5000 },
    );
    const stoppedAt = produced;
    expect(stoppedAt).toBeLessThan(5000);
    socket.resume();
    await vi.waitFor(() => expect(produced).toBeGreaterThan(stoppedAt + 100));
  });

  // covers server-28
  it('is disconnected when it reads nothing for the time limit', async () => {
    let isReturned = false;
    const { server, logLines } = await serve(
      (app) => {
        async function* source(): AsyncGenerator<SseMessage> {
          try {
            for (;;) {
              yield { data: 'x'.repeat(100_000) };
              await new Promise(setImmediate);
            }
          } finally {
            isReturned = true;
          }
        }
        mount(app, openStream, async ({ context }) => eventStream(source(), context));
      },
      { stallLimitMs: 50 },
    );
    askWithoutReading(server);
    await vi.waitFor(() => expect(isReturned).toBe(true), { timeout: 10_000 });
    const line = { level: 'info', msg: 'a client does not read its response' };
    expect(logLines()).toContainEqual(expect.objectContaining(line));
  });

  it('keeps its connection while there is nothing to read', async () => {
    const { server } = await serve(
      (app) => {
        mount(app, wait, async () => {
          await setTimeout(900);
          return { done: true };
        });
      },
      // A busy machine may take tens of milliseconds to send a request, and the connection is silent meanwhile.
      { stallLimitMs: 300 },
    );
    const response = await fetch(`${server.url}/api/v1/wait`);
    expect(await response.json()).toEqual({ done: true });
  });
});
