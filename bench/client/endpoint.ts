import type { EngineConnection } from '../../src/platform/net/engine-connection.ts';

/** An endpoint of a server, with its address and model. */
export interface Endpoint {
  readonly connection: EngineConnection;
  readonly path: string;
  /** Value of `model` in requests. */
  readonly model: string;
}
