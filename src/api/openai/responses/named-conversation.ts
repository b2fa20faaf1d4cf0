import { HearthError } from '../../../kernel/errors/errors.ts';
import type { OpenAiResponseRequest } from './response-request-schema.ts';

/**
 * The id of the conversation that a request names.
 *
 * @throws HearthError `invalid_value` for fields that a conversation excludes.
 */
export function namedConversation(body: OpenAiResponseRequest): string | undefined {
  const id = conversationIdOf(body);
  const reason =
    body.previous_response_id != null
      ? 'and `previous_response_id` exclude each other: send one of them.'
      : body.store === false
        ? 'requires `store`: the response is added to it.'
        : undefined;
  if (id === undefined || reason === undefined) return id;
  throw new HearthError('invalid_value', `\`conversation\` ${reason}`, { param: 'conversation' });
}

export function conversationIdOf({ conversation }: OpenAiResponseRequest): string | undefined {
  return typeof conversation === 'string' ? conversation : conversation?.id;
}
