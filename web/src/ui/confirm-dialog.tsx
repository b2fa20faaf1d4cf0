import { texts } from '../texts/texts.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { keepFocusInPage } from './keep-focus.ts';

/** Asks for confirmation before an action that can't be undone. */
export function ConfirmDialog({
  isOpen,
  onClose,
  onConfirm,
  title,
  description,
  action,
  dismissal = texts.app.cancel,
}: {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onConfirm: () => void;
  readonly title: string;
  readonly description: string;
  readonly action: string;
  /** Label of the button that cancels. */
  readonly dismissal?: string;
}) {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={title} description={description}>
      <div className="mt-3 flex justify-end gap-2">
        <Button onClick={onClose}>{dismissal}</Button>
        <Button
          variant="danger"
          onClick={() => {
            onClose();
            onConfirm();
            keepFocusInPage();
          }}
        >
          {action}
        </Button>
      </div>
    </Dialog>
  );
}
