import { ApiError } from '../../../api/api-error.ts';
import { call } from '../../../api/client.ts';
import { showError } from '../../../ui/toasts.ts';
import { removeRun, runs, stopRun } from '../runs/run-store.ts';
import { removeSettings } from '../settings/conversation-settings.ts';
import { forgetTemporary, noteLeft, ownChats } from './temporary-chats.ts';

interface Address {
  readonly path: string;
  /** Key of the run of the first answer, or id of its response; may be empty. */
  readonly run: string;
}

/** Deletes the temporary conversations of this tab, except for the one that the page at the address shows. */
export function leaveTemporary({ path, run }: Address): void {
  const isShown = (
    id: string,
    first: { readonly key: string; readonly responseId?: string | undefined },
  ) => path.endsWith(`/chat/${id}`) || run === first.key || run === first.responseId;
  for (const [id, first] of ownChats) if (!isShown(id, first)) discard(id).catch(showError);
  for (const each of runs.get()) {
    const isFirst = each.isTemporary === true && each.conversationId === undefined;
    // When the stopped answer is stored, its conversation is deleted.
    if (isFirst && !isShown('', each) && each.phase.kind !== 'ended') void stopRun(each);
  }
}

/** Deletes the temporary conversations when the page is closed. If the tab is killed, the server deletes them later. */
export function watchTemporary(): void {
  addEventListener('pagehide', () => {
    for (const id of ownChats.keys()) {
      noteLeft(id);
      remove(id, true).catch(() => undefined);
    }
  });
}

async function discard(id: string): Promise<void> {
  ownChats.delete(id);
  for (const run of runs.get().filter(({ conversationId }) => conversationId === id)) {
    if (run.phase.kind !== 'ended') await stopRun(run);
    removeRun(run.key);
  }
  await remove(id, false);
}

async function remove(id: string, keepalive: boolean): Promise<void> {
  const params = { conversation_id: id };
  try {
    await call('delete', '/api/v1/conversations/{conversation_id}', { params }, { keepalive });
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 404)) throw error;
  }
  removeSettings(id);
  forgetTemporary(id);
}
