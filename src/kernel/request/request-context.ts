import type { ModelScope } from '../model-scope.ts';
import type { Permission } from '../permission.ts';
import type { Logger } from '../logger.ts';
import type { RequestRecord } from './request-record.ts';

/** Identity of a caller with a token or session. */
export interface CallerIdentity {
  readonly type: 'token' | 'session' | 'owner';
  /** Id of the token or session. */
  readonly id: string;
  /** Id of the token, or of the session's token; `owner` for the owner of the home folder. */
  readonly tokenId: string;
  /** Name of the token. */
  readonly name: string | null;
  readonly expiresAt: Date | null;
  /** Replaces the session's cookie if it is old. Returns the new one, or undefined if it stays. */
  readonly rotate?: () => Promise<string | undefined>;
}

/** Who sent a request. */
export interface Caller {
  /**
   * Owner of everything that the request stores: the API token's id; null for all callers without a token, which share
   * one owner.
   */
  readonly tokenId: string | null;
  /** Absent for an anonymous caller. */
  readonly identity?: CallerIdentity | undefined;
  /** Key by which clients take turns in fair queues: the token, or the client's network address. */
  readonly clientKey: string;
  /** Network address of the client, or of the proxy in front of the server. */
  readonly address?: string;
  /** True for a linked machine, which can use only this machine's own models. */
  readonly isLinked?: boolean | undefined;
  readonly modelScope: ModelScope;
  readonly hasPermission: (permission: Permission) => boolean;
}

/** Data of a request that is passed from the guards to the engine and the tools. */
export interface RequestContext {
  /** Id that is sent back as `X-Request-Id`. */
  readonly requestId: string;
  /** Adds `requestId` to every line. */
  readonly logger: Logger;
  readonly caller: Caller;
  /** Collects measurements. */
  readonly record: RequestRecord;
  /** Aborts when the client disconnects, or with a `HearthError` when the server ends the request. */
  readonly signal: AbortSignal;
}

/** A copy of the context for work that may end before its request. */
export function withSignal(context: RequestContext, signal: AbortSignal): RequestContext {
  return { ...context, signal };
}
