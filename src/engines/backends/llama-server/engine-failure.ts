import * as z from 'zod';
import { HearthError } from '../../../kernel/errors/errors.ts';
import type { EngineReply } from '../../../platform/net/engine-connection.ts';
import { CacheFullError } from '../../cache-full-error.ts';
import { readWireError, type WireError } from '../wire/wire-error.ts';

const errorBody = z.object({ error: z.unknown() });

const maxMessageCharacters = 500;

/**
 * Maps a response of the engine with a status of 400 or more to an error.
 * @param contextLength Maximum tokens of one input. The error names it instead of the engine's batch size, which may
 *   be larger.
 */
export function replyFailure(reply: EngineReply, contextLength?: number): HearthError {
  const parsed = errorBody.safeParse(reply.body);
  return parsed.success && parsed.data.error !== undefined
    ? failure(readWireError(parsed.data.error), reply.status, contextLength)
    : new HearthError('internal', `The engine returned status ${reply.status}.`);
}

/** Maps an `error` event inside a stream to an error. */
export function streamFailure(error: WireError): HearthError {
  return failure(error, error.code ?? 500);
}

/** True if the engine could not parse the model's output. The message depends on the build. */
export function isParseFailure({ message = '' }: WireError): boolean {
  return /failed to parse input|produced output that does not match/iu.test(message);
}

function failure(error: WireError, status: number, contextLength = Infinity): HearthError {
  const message = (error.message ?? 'no reason given').slice(0, maxMessageCharacters);
  if (error.type === 'exceed_context_size_error') {
    const { n_prompt_tokens: tokens, n_ctx: maxTokens } = error;
    return new HearthError(
      'context_length_exceeded',
      `The prompt has ${tokens ?? 'too many'} tokens; the context of the model holds ${maxTokens ?? 'fewer'}.`,
      tokens === undefined || maxTokens === undefined
        ? {}
        : { promptSize: { tokens, isLowerBound: false, maxTokens } },
    );
  }
  const tooLarge = /input \((\d+) tokens\).*\(.*?(\d+)/u.exec(message);
  if (tooLarge !== null) {
    return new HearthError(
      'context_length_exceeded',
      `An input has ${tooLarge[1]} tokens; the context of the model holds ${Math.min(Number(tooLarge[2]), contextLength)}.`,
    );
  }
  if (/context size has been exceeded/iu.test(message)) {
    return new CacheFullError(new Error(message));
  }
  if (/infill is not supported/iu.test(message)) {
    return new HearthError(
      'infill_unsupported',
      (name) =>
        `\`${name('suffix')}\` needs a model that was trained to fill in the middle; this one was not.`,
      { field: 'suffix' },
    );
  }
  if (/audio input is not supported/iu.test(message)) {
    return new HearthError('audio_unsupported', 'The model does not support audio.');
  }
  if (/image input is not supported|does not support multimodal/iu.test(message)) {
    return new HearthError('vision_unsupported', 'The model does not support images.');
  }
  if (/failed to load image|failed to decode image/iu.test(message)) {
    return new HearthError('invalid_image', 'The engine cannot read the image.');
  }
  if (/support embeddings/iu.test(message)) {
    return new HearthError('wrong_model_type', 'The model is loaded for text, not for embeddings.');
  }
  if (isParseFailure(error)) {
    return new HearthError(
      'invalid_output',
      'The model wrote an answer or a tool call that cannot be parsed. Repeat the request, with another seed if it sets one, or use another model.',
      { cause: new Error(message) },
    );
  }
  if (status === 400) {
    return new HearthError('invalid_value', `The engine rejected the request: ${message}`);
  }
  return new HearthError('internal', `The engine failed: ${message}`);
}
