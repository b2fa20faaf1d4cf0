import { ApiError } from '../../../api/api-error.ts';
import { call } from '../../../api/client.ts';
import { queryClient } from '../../../api/query-client.ts';
import { treeQuery } from './conversation-queries.ts';

/**
 * Finds the conversation of a stored response; undefined if the response is not stored.
 *
 * @param hint Conversation that the response continues, if known.
 */
export async function conversationWith(
  responseId: string,
  hint: string | undefined,
): Promise<string | undefined> {
  try {
    if (hint !== undefined) {
      const tree = await queryClient.fetchQuery({ ...treeQuery(hint), staleTime: 0 });
      const isIn = tree.responses.some(({ response_id: id }) => id === responseId);
      if (isIn) return hint;
    }
    const query = { response_id: responseId };
    const { conversations } = await call('get', '/api/v1/conversations', { query });
    return conversations[0]?.conversation_id;
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}
