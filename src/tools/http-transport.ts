import {
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { withTimeout } from '../kernel/concurrency/with-timeout.ts';
import type { EgressPolicy } from '../platform/net/address-policy.ts';
import { HttpFailure } from '../platform/net/http-failure.ts';
import { createOutboundFetch } from '../platform/net/outbound-fetch.ts';
import type { McpTransport, TransportBounds } from './mcp-transport.ts';
import type { ConnectionLimits } from './server-connection.ts';
import { TooManyValuesError, ValueMeter } from './value-meter.ts';

interface HttpTransportOptions {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly egress: EgressPolicy;
  /** Environment with the proxy settings. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly bounds: TransportBounds;
  readonly limits: ConnectionLimits;
}

/** Idle time allowed for a response, in addition to the time limit of a call. */
const idleMarginMs = 5000;
/** Maximum lifetime of one connection. Limits notification streams, which otherwise last as long as the turn. */
const totalTimeoutMs = 3600_000;
/** Time to deliver the last requests: cancellations and the end of the session. */
const drainTimeoutMs = 1000;
const maxReconnections = 5;
const minReconnectionDelayMs = 250;
const maxReconnectionDelayMs = 5000;

/** Connects over Streamable HTTP, or over the older HTTP with SSE if the server rejects that. */
export function createHttpTransport(options: HttpTransportOptions): McpTransport {
  const { url, bounds, limits, egress, environment } = options;
  let failure: unknown;
  let breakOff: (reason: unknown) => void = () => {};
  const broken = new Promise<never>((_, reject) => {
    breakOff = (reason) => {
      failure ??= reason;
      reject(reason);
    };
  });
  broken.catch(() => {});
  let usesSse = false;
  /** In Streamable HTTP, a GET only receives notifications, which are optional. */
  const onBroken = (reason: HttpFailure, method: string): void => {
    if (method !== 'GET' || usesSse) breakOff(reason);
  };
  const outbound = createOutboundFetch({
    egress,
    environment,
    maxBytes: bounds.maxMessageBytes,
    idleTimeoutMs: limits.callTimeoutMs + idleMarginMs,
    totalTimeoutMs,
    onBroken,
  });

  /** Wraps a response so that messages are measured before the protocol client parses them. */
  function measured(response: Response, method: string | undefined): Response {
    const { body, status, headers } = response;
    if (body === null) return response;
    const isEventStream = headers.get('content-type')?.startsWith('text/event-stream') === true;
    const meter = new ValueMeter(bounds.maxMessageValues, isEventStream);
    const measuring = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        try {
          meter.add(chunk);
        } catch (error) {
          if (!(error instanceof TooManyValuesError)) throw error;
          const tooLarge = new HttpFailure('too_large', `${url.host} sent ${error.message}`);
          onBroken(tooLarge, method ?? 'GET');
          throw tooLarge;
        }
        controller.enqueue(chunk);
      },
    });
    return new Response(body.pipeThrough(measuring), { status, headers });
  }

  const lastRequests = new Set<Promise<unknown>>();
  const send: typeof outbound.fetch = async (target, init) => {
    const answer = outbound.fetch(target, init).then(
      (response) => measured(response, init?.method),
      (error: unknown) => {
        failure ??= error;
        throw error;
      },
    );
    if (typeof init?.body === 'string' && isCancellation(init.body)) {
      const settled = answer.catch(() => {});
      lastRequests.add(settled);
      void settled.finally(() => lastRequests.delete(settled));
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
        const boundedMs = Math.max(delayMs, minReconnectionDelayMs);
        const timer = setTimeout(reconnect, Math.min(boundedMs, maxReconnectionDelayMs));
        return () => clearTimeout(timer);
      },
    });
    opened.push(streamable);
    return streamable;
  };

  const openSse = (): Transport => {
    usesSse = true;
    failure = undefined;
    let hasStream = false;
    const transport = new SSEClientTransport(url, {
      fetch: async (target, init) => {
        if (init?.method === 'POST') return send(target, init);
        if (hasStream) {
          // A second stream would be a new session without our requests; 204 tells the client to stop.
          breakOff(new HttpFailure('interrupted', `${url.host} ended the connection`));
          return new Response(null, { status: 204 });
        }
        hasStream = true;
        return send(target, init);
      },
      requestInit,
      redirectPolicy: 'follow',
    });
    opened.push(transport);
    return transport;
  };

  return {
    transports: [openStreamable, openSse],
    broken,
    failure: () => failure,
    close: async () => {
      // A cancellation that was just sent reaches `send` only in this turn of the event loop.
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      if (streamable?.sessionId !== undefined) {
        lastRequests.add(streamable.terminateSession().catch(() => {}));
      }
      if (lastRequests.size > 0) await drain(lastRequests);
      for (const transport of opened) await transport.close();
      await outbound.close();
    },
  };
}

/** Waits for requests up to a time limit. */
async function drain(requests: Iterable<Promise<unknown>>): Promise<void> {
  const { signal } = new AbortController();
  await withTimeout(drainTimeoutMs, signal, () => Promise.all(requests)).catch(() => {});
}

function isCancellation(body: string): boolean {
  return body.includes('"method":"notifications/cancelled"');
}
