import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Logger } from '../observability/logger.ts';
import type { Principal } from './guards/principal.ts';
import type { RunningRequest } from './running-requests.ts';

/** What Hono carries with each request. */
export interface AppEnvironment {
  /** Given by the server; absent where a test calls the app without a socket. */
  Bindings: {
    running?: RunningRequest;
    /** Address of the client, or of the proxy before it. */
    remoteAddress?: string | undefined;
    isStopping?: boolean;
  };
  /** Set by the guards, before any handler runs. */
  Variables: {
    requestId: string;
    /** Writes `requestId` with every line. */
    logger: Logger;
    signal: AbortSignal;
    /** Null where a token is required and none was given. */
    principal: Principal | null;
    bodyLimitBytes: number;
    /** Origin of another site's page that may read the response. */
    sharedOrigin?: string;
  };
}

export type App = OpenAPIHono<AppEnvironment>;
