import { HearthError } from '../../../contract/errors.ts';
import type { EngineReply } from '../../../net/engine-connection.ts';
import { UpstreamBroken, UpstreamCut } from '../remote/upstream-failure.ts';

const maxMessageCharacters = 500;
const tooLong = /prompt has (\d+) tokens; the context length is (\d+)/u;

/** Maps an answer with a status other than 200: the server has 400 and 404 for what a request contains. */
export function mlxFailure({ status, body }: EngineReply): HearthError {
  const message = messageOf(body).slice(0, maxMessageCharacters);
  const [, tokens, maxTokens] = tooLong.exec(message) ?? [];
  if (tokens !== undefined && maxTokens !== undefined) {
    return new HearthError(
      'context_length_exceeded',
      `The prompt has ${tokens} tokens; the context of the model holds ${maxTokens}.`,
      {
        promptSize: {
          tokens: Number(tokens),
          isLowerBound: false,
          maxTokens: Number(maxTokens),
        },
      },
    );
  }
  return status === 400 || status === 404
    ? new HearthError('invalid_value', `The engine rejected the request: ${message}`)
    : new HearthError('internal', `The engine returned status ${status}.`);
}

/** Converts a failure of a stream; a cut one means that the engine died. Other errors stay unchanged. */
export function mlxStreamFailure(error: unknown): unknown {
  if (!(error instanceof UpstreamBroken)) return error;
  return error instanceof UpstreamCut
    ? new HearthError('crashed', 'The engine stopped during the request.', {
        cause: error,
      })
    : new HearthError('internal', `The engine failed: ${error.message}`, { cause: error });
}

function messageOf(body: unknown): string {
  const found =
    typeof body === 'object' && body !== null && 'error' in body ? body.error : undefined;
  return typeof found === 'string' ? found.replaceAll(/\s+/gu, ' ').trim() : 'no reason given';
}
