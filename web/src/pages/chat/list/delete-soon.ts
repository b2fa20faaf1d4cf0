import { call } from '../../../api/client.ts';
import { ApiError } from '../../../api/api-error.ts';
import { queryClient } from '../../../api/query-client.ts';
import { createStore } from '../../../api/store.ts';
import { texts } from '../../../texts/texts.ts';
import { showError, showUndo } from '../../../ui/toasts.ts';
import { conversationsKey } from '../conversations/conversation-queries.ts';

/** Conversations that are hidden in lists and will be deleted, unless the user undoes it. */
export const hiddenConversations = createStore<ReadonlySet<string>>(new Set());

/** Deletes conversations once the time to undo it is over. */
export function deleteSoon(ids: readonly string[]): void {
  hiddenConversations.set((hidden) => new Set([...hidden, ...ids]));
  const show = () =>
    hiddenConversations.set((hidden) => new Set([...hidden].filter((id) => !ids.includes(id))));
  const end = () => removeEventListener('pagehide', deleteAtOnce);
  const deleteAtOnce = () => {
    end();
    for (const id of ids) void deleteConversation(id, true).catch(() => undefined);
  };
  // The page may be closed earlier.
  addEventListener('pagehide', deleteAtOnce);
  showUndo(texts.chat.list.deleted({ conversations: ids.length }), {
    onUndo: () => {
      end();
      show();
    },
    onSettled: () => {
      end();
      deleteAll(ids).then(show, (error: unknown) => {
        show();
        showError(error);
      });
    },
  });
}

async function deleteAll(ids: readonly string[]): Promise<void> {
  try {
    for (const id of ids) await deleteConversation(id, false);
  } finally {
    await queryClient.invalidateQueries({ queryKey: conversationsKey });
  }
}

async function deleteConversation(id: string, keepalive: boolean): Promise<void> {
  const params = { conversation_id: id };
  try {
    await call('delete', '/api/v1/conversations/{conversation_id}', { params }, { keepalive });
  } catch (error) {
    // Another tab may already have deleted it.
    if (!(error instanceof ApiError && error.status === 404)) throw error;
  }
}
