import type { ErrorCode } from './errors.ts';

/** Errors of anything that may load a model. */
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

/** Errors of anything that works on an instance. An endpoint with `rate_limit_exceeded` counts for the limits of its token. */
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

/** Errors of anything that generates a message of a chat. */
export const chatErrors = [
  ...generationErrors,
  'invalid_output',
] as const satisfies readonly ErrorCode[];

/** Errors of messages with images or audio. */
export const mediaErrors = [
  'vision_unsupported',
  'audio_unsupported',
  'invalid_image',
  'invalid_audio',
] as const satisfies readonly ErrorCode[];
