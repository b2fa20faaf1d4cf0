import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/** A span in OTLP's JSON encoding. */
export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly status: { readonly code: number };
}

interface ExportRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly CollectedSpan[] }[];
  }[];
}

/** A collector that records what it receives at `/v1/traces`. */
export async function startOtlpCollector() {
  const spans: CollectedSpan[] = [];
  const resources: Record<string, unknown>[] = [];
  const server = createServer((request, response) => {
    void receive();
    async function receive(): Promise<void> {
      if (request.url === '/v1/traces') {
        const { resourceSpans } = (await json(request)) as ExportRequest;
        for (const { resource, scopeSpans } of resourceSpans) {
          resources.push(valuesOf(resource.attributes));
          spans.push(...scopeSpans.flatMap((scope) => scope.spans));
        }
      }
      response.setHeader('content-type', 'application/json').end('{}');
    }
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    resources,
    close: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The attributes of a span by name. */
export function valuesOf(attributes: readonly Attribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, toValue(value)]));
}

function toValue(value: Attribute['value']): unknown {
  const list = value['arrayValue'] as
    | { readonly values: readonly Attribute['value'][] }
    | undefined;
  return list === undefined ? Object.values(value)[0] : list.values.map(toValue);
}
