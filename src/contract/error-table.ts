import type { ErrorType } from './error-type.ts';

/** The error table. `docs/errors.md` is generated from it; each surface has its own error body. */

interface ErrorDefinition {
  readonly type: ErrorType;
  readonly status: number;
  /** Whether the same request may succeed later without a change. */
  readonly retryable: boolean;
  /** When it happens, for `docs/errors.md`. */
  readonly when: string;
}

/** The key of an entry is the error's `code`. */
export const errorTable = {
  invalid_json: {
    type: 'invalid_request',
    status: 400,
    retryable: false,
    when: 'The body is not JSON.',
  },
  missing_required_parameter: {
    type: 'invalid_request',
    status: 400,
    retryable: false,
    when: 'A required field is missing.',
  },
  unrecognized_keys: {
    type: 'invalid_request',
    status: 400,
    retryable: false,
    when: 'The request has an unknown field (`/api/v1` only).',
  },
  invalid_type: {
    type: 'invalid_request',
    status: 400,
    retryable: false,
    when: 'A field has the wrong JSON type.',
  },
  invalid_value: {
    type: 'invalid_request',
    status: 400,
    retryable: false,
    when: 'A field is out of range, not one of the allowed values, or refers to something that does not exist.',
  },
  unsupported_reasoning: {
    type: 'invalid_request',
    status: 400,
    retryable: false,
    when: 'The model does not support the `reasoning` setting.',
  },
  vision_unsupported: {
    type: 'invalid_request',
    status: 400,
    retryable: false,
    when: 'An image was sent to a model without vision.',
  },
  invalid_image: {
    type: 'invalid_request',
    status: 400,
    retryable: false,
    when: 'An image is not a readable PNG, JPEG, WebP or GIF, or is too large. All images of a request together may have four times `limits.imagePixels`, and 32 MiB as they were sent; those of a conversation may take 24 MiB after they were scaled for the model.',
  },
  wrong_model_type: {
    type: 'invalid_request',
    status: 400,
    retryable: false,
    when: 'The request needs a model of another type, such as a chat with an embedding model.',
  },
  infill_unsupported: {
    type: 'invalid_request',
    status: 400,
    retryable: false,
    when: '`suffix` was sent for a model that was not trained to fill in the middle.',
  },
  context_length_exceeded: {
    type: 'invalid_request',
    status: 400,
    retryable: false,
    when: 'The prompt has more tokens than the context length; prompts are never truncated silently.',
  },
  invalid_api_key: {
    type: 'invalid_request',
    status: 401,
    retryable: false,
    when: 'A token is required and missing, malformed, unknown or revoked.',
  },
  invalid_code: {
    type: 'invalid_request',
    status: 401,
    retryable: false,
    when: 'The code of a link of `hearth open` is unknown, used, or older than 60 seconds.',
  },
  forbidden: {
    type: 'invalid_request',
    status: 403,
    retryable: false,
    when: 'The token lacks the permission, or `Host` or `Origin` is not allowed.',
  },
  gated_repository: {
    type: 'invalid_request',
    status: 403,
    retryable: false,
    when: 'The repository requires an account that accepted its terms; set `hub.token` to a token of such an account.',
  },
  model_not_found: {
    type: 'model_not_found',
    status: 404,
    retryable: false,
    when: 'No model in the library, in the catalog or on the hub has this name.',
  },
  job_not_found: {
    type: 'job_not_found',
    status: 404,
    retryable: false,
    when: 'No download job has this id.',
  },
  response_not_found: {
    type: 'response_not_found',
    status: 404,
    retryable: false,
    when: 'No stored response of this caller has this id.',
  },
  conversation_not_found: {
    type: 'not_found',
    status: 404,
    retryable: false,
    when: 'No stored conversation of this caller has this id.',
  },
  file_not_found: {
    type: 'not_found',
    status: 404,
    retryable: false,
    when: 'No file of this caller has this id.',
  },
  batch_not_found: {
    type: 'not_found',
    status: 404,
    retryable: false,
    when: 'No batch of this caller has this id.',
  },
  item_not_found: {
    type: 'not_found',
    status: 404,
    retryable: false,
    when: 'The conversation has no item with this id.',
  },
  blob_not_found: {
    type: 'not_found',
    status: 404,
    retryable: false,
    when: 'No response of this caller has an image with this SHA-256.',
  },
  token_not_found: {
    type: 'not_found',
    status: 404,
    retryable: false,
    when: 'No token has this id.',
  },
  request_not_found: {
    type: 'not_found',
    status: 404,
    retryable: false,
    when: 'No running or recent request has this id.',
  },
  session_not_found: {
    type: 'not_found',
    status: 404,
    retryable: false,
    when: 'No session has this id.',
  },
  mcp_server_not_found: {
    type: 'not_found',
    status: 404,
    retryable: false,
    when: 'mcp.json has no server with this label.',
  },
  runtime_not_found: {
    type: 'not_found',
    status: 404,
    retryable: false,
    when: 'No runtime with this name and version is installed.',
  },
  instance_not_found: {
    type: 'instance_not_found',
    status: 404,
    retryable: false,
    when: 'No loaded instance has this id.',
  },
  not_found: {
    type: 'not_found',
    status: 404,
    retryable: false,
    when: 'No endpoint has this path.',
  },
  method_not_allowed: {
    type: 'invalid_request',
    status: 405,
    retryable: false,
    when: 'The endpoint exists with other methods; `Allow` lists them.',
  },
  conflict: {
    type: 'conflict',
    status: 409,
    retryable: true,
    when: 'The current state of the resource does not allow the operation.',
  },
  conversation_locked: {
    type: 'conflict',
    status: 409,
    retryable: true,
    when: 'Another request generates a response in this conversation, or changes it.',
  },
  cancelled: {
    type: 'conflict',
    status: 409,
    retryable: false,
    when: 'A client cancelled this background response.',
  },
  body_too_large: {
    type: 'invalid_request',
    status: 413,
    retryable: false,
    when: 'The body exceeds `limits.bodyBytes`.',
  },
  unsupported_media_type: {
    type: 'invalid_request',
    status: 415,
    retryable: false,
    when: 'The `Content-Type` of the body is not `application/json`.',
  },
  rate_limit_exceeded: {
    type: 'server_busy',
    status: 429,
    retryable: true,
    when: 'The token has used its requests or tokens of a minute; `Retry-After` says when there are more.',
  },
  queue_full: {
    type: 'server_busy',
    status: 429,
    retryable: true,
    when: 'A queue is full; `Retry-After` has the seconds to wait.',
  },
  internal: {
    type: 'internal_error',
    status: 500,
    retryable: true,
    when: 'A bug in Hearth. `hearth log --request ID` shows the details, with the id in `X-Request-Id`.',
  },
  storage_failed: {
    type: 'internal_error',
    status: 500,
    retryable: true,
    when: 'The response could not be stored, for example because the disk is full. `result`, next to `error`, has the answer.',
  },
  mcp_unreachable: {
    type: 'mcp_connection_error',
    status: 502,
    retryable: true,
    when: 'An ephemeral tool server is unreachable, or its response is invalid.',
  },
  plugin_unreachable: {
    type: 'plugin_connection_error',
    status: 502,
    retryable: true,
    when: 'An installed plugin is unreachable, or its response is invalid.',
  },
  hub_unreachable: {
    type: 'hub_error',
    status: 502,
    retryable: true,
    when: 'The model hub is unreachable, or its response is invalid.',
  },
  upstream_error: {
    type: 'upstream_error',
    status: 502,
    retryable: true,
    when: 'A remote engine closed the connection, or its response is invalid.',
  },
  upstream_unavailable: {
    type: 'unavailable',
    status: 503,
    retryable: true,
    when: 'No replica of a remote engine can be reached, or all are too busy; `Retry-After` has the seconds to wait.',
  },
  store_unavailable: {
    type: 'unavailable',
    status: 503,
    retryable: true,
    when: 'The database cannot be reached, is read-only or too slow; `Retry-After` has the seconds to wait.',
  },
  corrupt_file: {
    type: 'model_load_failed',
    status: 503,
    retryable: false,
    when: 'The model file is empty, truncated or not a GGUF file.',
  },
  unsupported_architecture: {
    type: 'model_load_failed',
    status: 503,
    retryable: false,
    when: 'The engine does not know the architecture of the model.',
  },
  unsupported_format: {
    type: 'model_load_failed',
    status: 503,
    retryable: false,
    when: 'No installed runtime supports this format on this machine.',
  },
  missing_file: {
    type: 'model_load_failed',
    status: 503,
    retryable: false,
    when: 'A file of the model has been deleted since it was listed.',
  },
  runtime_unavailable: {
    type: 'model_load_failed',
    status: 503,
    retryable: true,
    when: 'No engine runtime is installed and none could be installed.',
  },
  load_timeout: {
    type: 'model_load_failed',
    status: 503,
    retryable: true,
    when: 'The engine was not ready within `engine.loadTimeoutSeconds`.',
  },
  engine_exited: {
    type: 'model_load_failed',
    status: 503,
    retryable: true,
    when: 'The engine process exited while it loaded the model.',
  },
  out_of_memory: {
    type: 'insufficient_memory',
    status: 503,
    retryable: true,
    when: 'The model with this context length does not fit into the available memory.',
  },
  model_loading: {
    type: 'server_busy',
    status: 503,
    retryable: true,
    when: 'The model is still loading after `limits.loadWaitSeconds`; `Retry-After` has the seconds to wait.',
  },
  crashed: {
    type: 'engine_crashed',
    status: 503,
    retryable: true,
    when: 'The engine process exited during the request; the next request loads the model again.',
  },
  memory_exceeded: {
    type: 'engine_crashed',
    status: 503,
    retryable: true,
    when: 'The engine used far more memory than estimated and was stopped. Other requests of the instance are repeated once if their clients received nothing yet.',
  },
  unloaded: {
    type: 'engine_crashed',
    status: 503,
    retryable: true,
    when: 'The instance was unloaded during the request.',
  },
  interrupted: {
    type: 'unavailable',
    status: 503,
    retryable: true,
    when: 'The server that generated a response in the background ended in the middle. What it had produced is stored.',
  },
  shutting_down: {
    type: 'unavailable',
    status: 503,
    retryable: true,
    when: 'The server is stopping; `Retry-After` has the seconds to wait.',
  },
  checksum_mismatch: {
    type: 'hub_error',
    status: 502,
    retryable: true,
    when: 'A downloaded file does not match the hash of the hub, even after it was transferred again (in `error` of a failed job).',
  },
  insufficient_disk: {
    type: 'insufficient_storage',
    status: 507,
    retryable: true,
    when: 'The disk has too little space for the download.',
  },
  storage_full: {
    type: 'insufficient_storage',
    status: 507,
    retryable: true,
    when: 'The files of batches would take more than `batches.maxStorageBytes`.',
  },
} as const satisfies Record<string, ErrorDefinition>;

export type ErrorCode = keyof typeof errorTable;
