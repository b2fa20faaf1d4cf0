import { useState } from 'react';
import { texts } from '../../../texts/texts.ts';
import { Button } from '../../../ui/button.tsx';

/** Edits a message in its place; sending it makes a branch. */
export function EditMessage({
  text,
  onSend,
  onCancel,
}: {
  readonly text: string;
  readonly onSend: (text: string) => void;
  readonly onCancel: () => void;
}) {
  const [edited, setEdited] = useState(text);
  const { chat, app } = texts;
  return (
    <form
      className="rounded-2xl border bg-raised p-3"
      onSubmit={(event) => {
        event.preventDefault();
        onSend(edited);
      }}
    >
      <textarea
        // The button that opened it is gone.
        // oxlint-disable-next-line jsx-a11y/no-autofocus
        autoFocus
        aria-label={chat.edit}
        dir="auto"
        rows={Math.min(12, edited.split('\n').length + 1)}
        className="w-full resize-y bg-transparent px-1 outline-none"
        value={edited}
        onChange={(event) => setEdited(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') {
            event.stopPropagation();
            onCancel();
          }
          if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
            event.preventDefault();
            if (edited.trim() !== '') onSend(edited);
          }
        }}
      />
      <div className="mt-2 flex items-center justify-end gap-2">
        <span className="flex-1 text-xs text-muted">{chat.editHint}</span>
        <Button size="small" onClick={onCancel}>
          {app.cancel}
        </Button>
        <Button size="small" variant="primary" type="submit" disabled={edited.trim() === ''}>
          {chat.send}
        </Button>
      </div>
    </form>
  );
}
