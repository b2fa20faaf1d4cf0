import type { Permission } from '../contract/permission.ts';
import type { Logger } from '../observability/logger.ts';
import type { RequestRecord } from '../observability/request-record.ts';

/** Who sent a request. */
export interface Caller {
  /** Id of the API token; null for an anonymous caller. */
  readonly tokenId: string | null;
  /** Key that fair queues take turns by: the token, or the network address of the client. */
  readonly clientKey: string;
  readonly hasPermission: (permission: Permission) => boolean;
}

/** What travels with a request from the guards down to the engine and the tools. */
export interface RequestContext {
  /** Sent back as `X-Request-Id`. */
  readonly requestId: string;
  /** Writes `requestId` with every line. */
  readonly logger: Logger;
  readonly caller: Caller;
  /** Collects what is measured. */
  readonly record: RequestRecord;
  /** Aborts when the client disconnects, or with a `HearthError` when the server ends the request. */
  readonly signal: AbortSignal;
}

/** The context of work that may end before its request does. */
export function withSignal(context: RequestContext, signal: AbortSignal): RequestContext {
  return { ...context, signal };
}
