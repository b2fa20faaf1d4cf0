import type { EngineConnection } from '../../src/platform/net/engine-connection.ts';

/** Where to ask a server for one thing. */
export interface Endpoint {
  readonly connection: EngineConnection;
  readonly path: string;
  /** Value of `model` in requests. */
  readonly model: string;
}
