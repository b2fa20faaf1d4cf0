import {
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { createGuardedFetch, type FetchEgress } from '../net/guarded-fetch.ts';
import { HttpFailure } from '../net/http-client.ts';
import type { McpTransport } from './mcp-transport.ts';
import type { ConnectionLimits } from './server-connection.ts';
import type { TransportBounds } from './transport-bounds.ts';

interface HttpLinkOptions {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly reach: FetchEgress;
  readonly bounds: TransportBounds;
  readonly limits: ConnectionLimits;
}

/** A response may be silent for as long as a call may take, and for this much longer. */
const idleMarginMs = 5000;
/** Longest life of one connection: a feed of news ends with the turn, at the latest after this. */
const totalTimeoutMs = 3600_000;
/** Time for what is said at the end: that a call is cancelled, and that the session is over. */
const farewellMs = 1000;
const maxReconnections = 5;
const reconnectionDelaysMs = { least: 250, most: 5000 };

/** A link over Streamable HTTP; over its predecessor, server-sent events, where the server refuses that. */
export function createHttpTransport(options: HttpLinkOptions): McpTransport {
  const { url, bounds, limits, reach } = options;
  let failure: unknown;
  let breakOff: (reason: unknown) => void = () => {};
  const broken = new Promise<never>((_, reject) => {
    breakOff = (reason) => {
      failure ??= reason;
      reject(reason);
    };
  });
  broken.catch(() => {});
  let isOverEvents = false;
  const guarded = createGuardedFetch({
    reach,
    maxBytes: bounds.maxMessageBytes,
    idleTimeoutMs: limits.callTimeoutMs + idleMarginMs,
    totalTimeoutMs,
    // Over Streamable HTTP, what comes on a GET is news that one can do without.
    onBroken: (reason, method) => {
      if (method !== 'GET' || isOverEvents) breakOff(reason);
    },
  });

  const farewells = new Set<Promise<unknown>>();
  const send: typeof guarded.fetch = async (target, init) => {
    const answer = guarded.fetch(target, init).catch((error: unknown) => {
      failure ??= error;
      throw error;
    });
    if (typeof init?.body === 'string' && isCancellation(init.body)) {
      const settled = answer.catch(() => {});
      farewells.add(settled);
      void settled.finally(() => farewells.delete(settled));
    }
    return answer;
  };

  const requestInit = { headers: { ...options.headers } };
  const opened: Transport[] = [];
  let streamable: StreamableHTTPClientTransport | undefined;
  let reconnections = 0;

  const openStreamable = (): Transport => {
    streamable = new StreamableHTTPClientTransport(url, {
      fetch: send,
      requestInit,
      redirectPolicy: 'follow',
      reconnectionScheduler: (reconnect, delayMs) => {
        reconnections += 1;
        if (reconnections > maxReconnections) return;
        const { least, most } = reconnectionDelaysMs;
        const timer = setTimeout(reconnect, Math.min(Math.max(delayMs, least), most));
        return () => clearTimeout(timer);
      },
    });
    opened.push(streamable);
    return streamable;
  };

  const openEvents = (): Transport => {
    isOverEvents = true;
    failure = undefined;
    let hasFeed = false;
    const transport = new SSEClientTransport(url, {
      fetch: async (target, init) => {
        if (init?.method === 'POST') return send(target, init);
        if (hasFeed) {
          // A second feed is a new session, which knows nothing of our requests; 204 says that there is none.
          breakOff(new HttpFailure('interrupted', `${url.host} ended the connection`));
          return new Response(null, { status: 204 });
        }
        hasFeed = true;
        return send(target, init);
      },
      requestInit,
      redirectPolicy: 'follow',
    });
    opened.push(transport);
    return transport;
  };

  return {
    transports: [openStreamable, openEvents],
    broken,
    failure: () => failure,
    close: async () => {
      // What was just cancelled is on its way to `send`.
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      if (streamable?.sessionId !== undefined) {
        farewells.add(streamable.terminateSession().catch(() => {}));
      }
      if (farewells.size > 0) {
        let timer: NodeJS.Timeout | undefined;
        const patience = new Promise<void>((resolve) => {
          timer = setTimeout(resolve, farewellMs);
        });
        await Promise.race([Promise.all(farewells), patience]);
        clearTimeout(timer);
      }
      for (const transport of opened) await transport.close();
      await guarded.close();
    },
  };
}

function isCancellation(body: string): boolean {
  return body.includes('"method":"notifications/cancelled"');
}
