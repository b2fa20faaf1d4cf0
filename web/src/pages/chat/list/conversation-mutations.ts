import { useMutation } from '@tanstack/react-query';
import { ApiError } from '../../../api/api-error.ts';
import { call, fetchFile } from '../../../api/client.ts';
import { queryClient } from '../../../api/query-client.ts';
import type { RequestParts, RouteOf } from '../../../api/routes.ts';
import { texts } from '../../../texts/texts.ts';
import { showError, showToast } from '../../../ui/toasts.ts';
import {
  conversationsKey,
  type ConversationRecord,
} from '../conversations/conversation-queries.ts';

type ImportBody = RequestParts<RouteOf<'post', '/api/v1/conversations/import'>>['body'];

const refresh = () => queryClient.invalidateQueries({ queryKey: conversationsKey });

/** Changes a conversation, and shows why it could not be. */
export async function updateConversation(
  id: string,
  body: { readonly title?: string; readonly pinned?: boolean },
): Promise<void> {
  const params = { conversation_id: id };
  await call('patch', '/api/v1/conversations/{conversation_id}', { params, body })
    .then(refresh)
    .catch(showError);
}

/**
 * Imports an exported conversation from a file.
 *
 * @param onImported Called with the id of the new conversation.
 */
export function useImportConversation(onImported: (id: string) => void) {
  return useMutation({
    mutationFn: async (file: File) => {
      const body = parseExport(await file.text());
      try {
        return await call('post', '/api/v1/conversations/import', { body });
      } catch (error) {
        throw explainImport(error);
      }
    },
    onSuccess: async ({ conversation_id: id }) => {
      await refresh();
      showToast(texts.chat.list.imported);
      onImported(id);
    },
  });
}

/** The server names the field that is wrong, which only helps those who write exports. */
function explainImport(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  if (error.status === 413) return new Error(texts.chat.list.tooLarge, { cause: error });
  if (error.status !== 400 && error.status !== 422) return error;
  return new Error(texts.chat.list.notAnExport, { cause: error });
}

function parseExport(text: string): ImportBody {
  try {
    return JSON.parse(text) as ImportBody;
  } catch {
    throw new Error(texts.chat.list.notAnExport);
  }
}

/** Downloads a conversation as a file. */
export async function exportConversation(
  { conversation_id: id, title }: Pick<ConversationRecord, 'conversation_id' | 'title'>,
  format: 'json' | 'markdown',
): Promise<void> {
  const file = await fetchFile(`/api/v1/conversations/${id}/export?format=${format}`);
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  const name = title.replaceAll(/[^\p{L}\p{N}]+/gu, '-').slice(0, 60) || 'conversation';
  link.download = `${name}.${format === 'json' ? 'json' : 'md'}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
