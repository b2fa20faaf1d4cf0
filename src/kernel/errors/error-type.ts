/** Kinds of errors, as v1 names them in `type`. */
export type ErrorType =
  | 'invalid_request'
  | 'model_not_found'
  | 'job_not_found'
  | 'response_not_found'
  | 'instance_not_found'
  | 'not_found'
  | 'conflict'
  | 'server_busy'
  | 'internal_error'
  | 'mcp_connection_error'
  | 'plugin_connection_error'
  | 'hub_error'
  | 'upstream_error'
  | 'invalid_output'
  | 'unavailable'
  | 'model_load_failed'
  | 'insufficient_memory'
  | 'insufficient_storage'
  | 'engine_crashed';

export interface ErrorDefinition {
  readonly type: ErrorType;
  readonly status: number;
  /** True if the same request may succeed later without a change. */
  readonly retryable: boolean;
  /** The situation in which the error occurs, for `docs/errors.md`. */
  readonly when: string;
}
