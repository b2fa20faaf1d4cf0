import type { TurnMessage } from '../../../chat/turn-request.ts';
import { HearthError } from '../../../kernel/errors/errors.ts';

/**
 * Checks that every result of a tool follows its call. A stored conversation that is continued is checked against
 * its calls elsewhere.
 *
 * @throws HearthError `invalid_value`.
 */
export function assertToolCalls(messages: readonly TurnMessage[]): void {
  const known = new Set<string>();
  for (const [index, message] of messages.entries()) {
    if (message.role === 'assistant') for (const { id } of message.toolCalls ?? []) known.add(id);
    if (message.role !== 'tool' || known.has(message.toolCallId)) continue;
    throw new HearthError(
      'invalid_value',
      `No tool call ${JSON.stringify(message.toolCallId)} comes before this result.`,
      { field: `messages[${index}].toolCallId` },
    );
  }
}
