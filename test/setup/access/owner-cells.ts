import type { Route } from '../../../src/api/kit/route.ts';
import type { OwnedThing } from './owned-things.ts';
import type { OwnerRow } from './owner-rows.ts';
import { send, type Received } from './send.ts';

type Headers = Readonly<Record<string, string>>;

/** A caller that is not the owner. */
export interface Stranger {
  readonly name: string;
  readonly headers: Headers;
}

/** Sends the request of a row for a thing. */
export async function request(
  url: string,
  route: Route,
  row: OwnerRow,
  thing: OwnedThing,
  headers: Headers,
): Promise<Received> {
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => thing[name] ?? name);
  const body = row.body?.(thing);
  return send(url, {
    method: route.method.toUpperCase(),
    path: row.query === undefined ? path : `${path}?${row.query(thing)}`,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

/** Ids of the same format that do not exist. */
export function absent(thing: OwnedThing): OwnedThing {
  const zeros = (id: string) =>
    id.replaceAll(/(?<=[_-]|^)[0-9a-f]{16,}/g, (hex) => '0'.repeat(hex.length));
  return Object.fromEntries(Object.entries(thing).map(([name, id]) => [name, zeros(id)]));
}

/** Status and text of a response, with the ids of the thing replaced by their names and the request id removed. */
export function withoutIds({ status, text }: Received, thing: OwnedThing): string {
  const ids = Object.entries(thing).toSorted(([, one], [, other]) => other.length - one.length);
  const withoutRequest = text.replace(/"request_id":"[^"]*"/, '"request_id":"..."');
  return ids.reduce(
    (shown, [name, id]) => shown.replaceAll(id, `<${name}>`),
    `${status} ${withoutRequest}`,
  );
}

/** Differences between the responses to strangers for this thing and for one that does not exist. */
export async function strangersSee(
  url: string,
  route: Route,
  row: OwnerRow,
  thing: OwnedThing,
  strangers: readonly Stranger[],
): Promise<readonly string[]> {
  const none = absent(thing);
  const seen = await Promise.all(
    strangers.map(async ({ name, headers }) => {
      const received = await request(url, route, row, thing, headers);
      const expected = withoutIds(await request(url, route, row, none, headers), none);
      const shown = withoutIds(received, thing);
      if (received.status >= 400 && shown === expected) return [];
      return [`${route.operationId} by ${name}: ${shown} instead of ${expected}`];
    }),
  );
  return seen.flat();
}
