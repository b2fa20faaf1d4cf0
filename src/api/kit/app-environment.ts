import type { Hono } from 'hono';
import type { Logger } from '../../kernel/logger.ts';
import type { RequestRecord } from '../../kernel/request/request-record.ts';
import type { RateDecision } from '../../store/shared/rate-limit-repository.ts';
import type { Principal } from './guards/principal.ts';
import type { RunningRequest } from './running-requests.ts';
import type { ApiDescription } from './api.ts';

/** Hono's variables of a request. */
export interface AppEnvironment {
  /** Set by the server; absent if a test calls the app without a socket. */
  Bindings: {
    running?: RunningRequest;
    /** Address of the client, or of the proxy in front of the server. */
    remoteAddress?: string | undefined;
    isStopping?: boolean;
    /** Response of `GET /` that replaces the server's name. */
    greeting?: string | undefined;
    /**
     * True if the request came through the listener for linked machines, where every request needs a token or a code.
     */
    isLinked?: boolean;
    /** Owner of a batch, for requests that the server itself makes. */
    batchCaller?: Principal;
  };
  /** Set by the middleware, before any handler runs. */
  Variables: {
    requestId: string;
    /** Adds `requestId` to every line. */
    logger: Logger;
    record: RequestRecord;
    signal: AbortSignal;
    /** Null if a token is required and the request has none. */
    principal: Principal | null;
    /** Remaining limits of the token; absent if the token has no limits. */
    rate?: RateDecision;
    /** Origin of another site's page, if that may read the response. */
    sharedOrigin?: string;
    /** API of the endpoint that handles the request. */
    api?: ApiDescription;
    /** True if the response was created with the default headers. */
    hasHeaders?: boolean;
  };
}

export type HonoApp = Hono<AppEnvironment>;
