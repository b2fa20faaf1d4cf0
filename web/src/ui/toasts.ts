import { Toast } from '@base-ui/react/toast';
import { ApiError, UnreachableError } from '../api/api-error.ts';
import { texts } from '../texts/texts.ts';

export const toastManager = Toast.createToastManager();

export function showToast(title: string, description?: string): void {
  toastManager.add({ title, ...(description === undefined ? {} : { description }) });
}

/** Time in which the user can undo an action. */
const undoMs = 8000;

/** Shows an action with a button to undo it. `onSettled` is called when it can no longer be undone. */
export function showUndo(
  title: string,
  { onUndo, onSettled }: { readonly onUndo: () => void; readonly onSettled: () => void },
): void {
  let isUndone = false;
  const id = toastManager.add({
    title,
    timeout: undoMs,
    actionProps: {
      children: texts.app.undo,
      onClick: () => {
        isUndone = true;
        onUndo();
        toastManager.close(id);
      },
    },
    onClose: () => {
      if (!isUndone) onSettled();
    },
  });
}

/** Shows an error with advice, and the request id, which finds it in the server's log. */
export function showError(error: unknown): void {
  // The token page shows the reason.
  if (error instanceof ApiError && error.isSignedOut) return;
  toastManager.add({ title: messageOf(error), type: 'error', timeout: 9000, priority: 'high' });
}

/** The message of an error, for users. */
export function messageOf(error: unknown): string {
  if (error instanceof UnreachableError) return texts.errors.unreachable;
  if (error instanceof ApiError) return error.message;
  if (error instanceof TypeError && /dynamically imported|module script/i.test(error.message)) {
    return texts.errors.missingPart;
  }
  return error instanceof Error && error.message !== '' ? error.message : texts.errors.unexpected;
}
