import type { ErrorCode } from './errors.ts';

/** Errors of endpoints that may load a model. */
export const loadErrors = [
  'model_not_found',
  'adapter_not_found',
  'corrupt_file',
  'unsupported_architecture',
  'unsupported_format',
  'missing_file',
  'out_of_memory',
  'engine_exited',
  'load_timeout',
  'runtime_unavailable',
  'queue_full',
  'shutting_down',
] as const satisfies readonly ErrorCode[];

/**
 * Errors of endpoints that use an instance. Because of `rate_limit_exceeded`, their requests count toward the token's
 * limits.
 */
export const generationErrors = [
  ...loadErrors,
  'rate_limit_exceeded',
  'wrong_model_type',
  'context_length_exceeded',
  'model_loading',
  'crashed',
  'memory_exceeded',
  'unloaded',
] as const satisfies readonly ErrorCode[];

/** Errors of endpoints that generate chat messages. */
export const chatErrors = [
  ...generationErrors,
  'invalid_output',
] as const satisfies readonly ErrorCode[];

/** Errors of messages with files. */
export const fileErrors = [
  'invalid_document',
  'file_not_found',
] as const satisfies readonly ErrorCode[];

/** Errors of messages with images or audio. */
export const mediaErrors = [
  'vision_unsupported',
  'audio_unsupported',
  'invalid_image',
  'invalid_audio',
] as const satisfies readonly ErrorCode[];
