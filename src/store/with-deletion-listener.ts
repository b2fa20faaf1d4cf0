import type { TurnPart } from './turns/conversation-turn.ts';
import type { DeleteOptions, Store } from './store.ts';

/** Calls `onDeleted` after each deletion of responses, a conversation or a token, and waits for it. */
export function withDeletionListener(store: Store, onDeleted: () => Promise<void>): Store {
  const listening =
    <Parameters extends readonly unknown[]>(
      remove: (...parameters: Parameters) => Promise<boolean>,
    ) =>
    async (...parameters: Parameters): Promise<boolean> => {
      const isDeleted = await remove(...parameters);
      if (isDeleted) await onDeleted();
      return isDeleted;
    };
  const { responses, conversations, tokens, owners } = store;
  return {
    ...store,
    responses: {
      ...responses,
      delete: listening((id: string, ownerId: string | null, options?: DeleteOptions) =>
        responses.delete(id, ownerId, options),
      ),
      setMessage: listening((id: string, ownerId: string | null, text: string) =>
        responses.setMessage(id, ownerId, text),
      ),
      removePart: listening((id: string, ownerId: string | null, part: TurnPart) =>
        responses.removePart(id, ownerId, part),
      ),
    },
    conversations: {
      ...conversations,
      delete: listening((id: string, ownerId: string | null) => conversations.delete(id, ownerId)),
    },
    tokens: { ...tokens, delete: listening((id: string) => tokens.delete(id)) },
    owners: {
      ...owners,
      delete: async (ownerId) => {
        const deleted = await owners.delete(ownerId);
        if (deleted.conversationCount > 0) await onDeleted();
        return deleted;
      },
    },
  };
}
