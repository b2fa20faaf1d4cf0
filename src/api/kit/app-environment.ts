import type { Hono } from 'hono';
import type { Logger } from '../../kernel/logger.ts';
import type { RequestRecord } from '../../telemetry/request-record.ts';
import type { RateDecision } from '../../store/shared/rate-limit-repository.ts';
import type { Principal } from './guards/principal.ts';
import type { RunningRequest } from './running-requests.ts';
import type { ApiDescription } from './api.ts';

/** Hono's variables of a request. */
export interface AppEnvironment {
  /** From the server; absent if a test calls the app without a socket. */
  Bindings: {
    running?: RunningRequest;
    /** Address of the client, or of the proxy before it. */
    remoteAddress?: string | undefined;
    isStopping?: boolean;
    /** Response of `GET /`, instead of the server's name. */
    greeting?: string | undefined;
    /** True if it came through the listener for linked machines, on which every request needs a token or a code. */
    isLinked?: boolean;
    /** The sender of a request that the server makes itself, for a batch. */
    batchCaller?: Principal;
  };
  /** Set by the middleware, before any handler runs. */
  Variables: {
    requestId: string;
    /** Writes `requestId` with every line. */
    logger: Logger;
    record: RequestRecord;
    signal: AbortSignal;
    /** Null if a token is required and the request has none. */
    principal: Principal | null;
    /** Remaining limits of the token; absent if it has none. */
    rate?: RateDecision;
    /** Origin of another site's page that may read the response. */
    sharedOrigin?: string;
    /** API of the endpoint that handles the request. */
    api?: ApiDescription;
    /** True if the response was made with the headers of every response. */
    hasHeaders?: boolean;
  };
}

export type HonoApp = Hono<AppEnvironment>;
