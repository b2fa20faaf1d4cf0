import { useState } from 'react';
import { texts } from '../../../texts/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { keepFocusInPage } from '../../../ui/keep-focus.ts';

/** Edits a message or answer in place. */
export function EditMessage({
  text,
  label,
  hint,
  action,
  isLong = false,
  onSend,
  onCancel,
}: {
  readonly text: string;
  readonly label: string;
  readonly hint: string;
  /** Label of the button that finishes the edit. */
  readonly action: string;
  /** True for a text of several lines: Enter inserts a line break, and Ctrl Enter finishes the edit. */
  readonly isLong?: boolean;
  readonly onSend: (text: string) => void;
  readonly onCancel: () => void;
}) {
  const [edited, setEdited] = useState(text);
  const send = () => {
    keepFocusInPage();
    onSend(edited);
  };
  const cancel = () => {
    keepFocusInPage();
    onCancel();
  };
  return (
    <form
      className="rounded-2xl border bg-raised p-3"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <textarea
        // The button that had the focus is gone.
        // oxlint-disable-next-line jsx-a11y/no-autofocus
        autoFocus
        aria-label={label}
        dir="auto"
        rows={Math.min(isLong ? 20 : 12, edited.split('\n').length + 1)}
        className="w-full resize-y bg-transparent px-1 outline-none"
        value={edited}
        onChange={(event) => setEdited(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') {
            event.stopPropagation();
            cancel();
          }
          const ends = isLong ? event.ctrlKey || event.metaKey : !event.shiftKey;
          if (event.key === 'Enter' && ends && !event.nativeEvent.isComposing) {
            event.preventDefault();
            if (edited.trim() !== '') send();
          }
        }}
      />
      <div className="mt-2 flex items-center justify-end gap-2">
        <span className="flex-1 text-xs text-muted">{hint}</span>
        <Button size="small" onClick={cancel}>
          {texts.app.cancel}
        </Button>
        <Button size="small" variant="primary" type="submit" disabled={edited.trim() === ''}>
          {action}
        </Button>
      </div>
    </form>
  );
}
