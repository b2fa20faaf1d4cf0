import { Toast } from '@base-ui/react/toast';
import { ApiError, UnreachableError } from '../api/api-error.ts';
import { texts } from '../texts/texts.ts';

export const toastManager = Toast.createToastManager();

export function showToast(title: string, description?: string): void {
  toastManager.add({ title, ...(description === undefined ? {} : { description }) });
}

/** Most time in which an action can be taken back. */
const undoMs = 8000;

/** Shows what was done, with a button that takes it back. `onSettled` is called when that is no longer possible. */
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

/** Shows an error with advice; the request id helps to find it in the server's log. */
export function showError(error: unknown): void {
  // The token page says why.
  if (error instanceof ApiError && error.isSignedOut) return;
  toastManager.add({ title: messageOf(error), type: 'error', timeout: 9000, priority: 'high' });
}

/** The message of an error for a person. */
export function messageOf(error: unknown): string {
  if (error instanceof UnreachableError) return texts.errors.unreachable;
  if (error instanceof ApiError) return error.message;
  if (error instanceof TypeError && /dynamically imported|module script/i.test(error.message)) {
    return texts.errors.missingPart;
  }
  return error instanceof Error && error.message !== '' ? error.message : texts.errors.unexpected;
}
