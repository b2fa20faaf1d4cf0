import type { ModelScope } from '../kernel/model-scope.ts';
import type { Permission } from '../kernel/permission.ts';
import type { Logger } from '../kernel/logger.ts';
import type { RequestRecord } from './request-record.ts';

/** How a caller is known. */
export interface CallerIdentity {
  readonly type: 'token' | 'session' | 'owner';
  /** Id of the token or session. */
  readonly id: string;
  /** The token, also of a session; `owner` for the owner of the home folder. */
  readonly tokenId: string;
  /** Name of the token. */
  readonly name: string | null;
  readonly expiresAt: Date | null;
  /** Replaces the cookie of a session if it is old; undefined if it stays. */
  readonly rotate?: () => Promise<string | undefined>;
}

/** Who sent a request. */
export interface Caller {
  /**
   * Owner of everything that the request stores: the id of the API token; null for all callers
   * without one together.
   */
  readonly tokenId: string | null;
  /** Absent for an anonymous caller. */
  readonly identity?: CallerIdentity | undefined;
  /** Key that fair queues take turns by: the token, or the network address of the client. */
  readonly clientKey: string;
  /** Network address of the client, or of the proxy before it. */
  readonly address?: string;
  /** True if it is a linked machine, which gets only models of this machine. */
  readonly isLinked?: boolean | undefined;
  readonly modelScope: ModelScope;
  readonly hasPermission: (permission: Permission) => boolean;
}

/** Travels with a request from the guards to the engine and the tools. */
export interface RequestContext {
  /** Sent back as `X-Request-Id`. */
  readonly requestId: string;
  /** Writes `requestId` with every line. */
  readonly logger: Logger;
  readonly caller: Caller;
  /** Collects measurements. */
  readonly record: RequestRecord;
  /** Aborts when the client disconnects, or with a `HearthError` when the server ends the request. */
  readonly signal: AbortSignal;
}

/** The context of work that may end before its request does. */
export function withSignal(context: RequestContext, signal: AbortSignal): RequestContext {
  return { ...context, signal };
}
