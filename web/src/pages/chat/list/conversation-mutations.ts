import { call, fetchFile } from '../../../api/client.ts';
import { queryClient } from '../../../api/query-client.ts';
import { saveFile } from '../../../ui/save-file.ts';
import { showError } from '../../../ui/toasts.ts';
import {
  conversationsKey,
  type ConversationRecord,
} from '../conversations/conversation-queries.ts';

const refresh = () => queryClient.invalidateQueries({ queryKey: conversationsKey });

/** Changes a conversation; shows the error if that fails. */
export async function updateConversation(
  id: string,
  body: { readonly title?: string; readonly pinned?: boolean; readonly archived?: boolean },
): Promise<void> {
  const params = { conversation_id: id };
  await call('patch', '/api/v1/conversations/{conversation_id}', { params, body })
    .then(refresh)
    .catch(showError);
}

/** Downloads a conversation as a file. */
export async function exportConversation(
  { conversation_id: id, title }: Pick<ConversationRecord, 'conversation_id' | 'title'>,
  format: 'json' | 'markdown',
): Promise<void> {
  const file = await fetchFile(`/api/v1/conversations/${id}/export?format=${format}`);
  const name = title.replaceAll(/[^\p{L}\p{N}]+/gu, '-').slice(0, 60) || 'conversation';
  saveFile(`${name}.${format === 'json' ? 'json' : 'md'}`, file);
}
