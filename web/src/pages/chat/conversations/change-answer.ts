import { call } from '../../../api/client.ts';
import { reloadResponses } from './conversation-queries.ts';

/** Replaces the text of a stored answer. */
export async function changeAnswer(responseId: string, text: string): Promise<void> {
  await call('patch', '/api/v1/responses/{response_id}', {
    params: { response_id: responseId },
    body: { output_text: text },
  });
  await reloadResponses();
}

/** Deletes a message with its answer; the messages after it continue the one before it. */
export async function deleteTurn(responseId: string): Promise<void> {
  await call('delete', '/api/v1/responses/{response_id}', {
    params: { response_id: responseId },
    query: { keep_history: 'false' },
  });
  await reloadResponses();
}
