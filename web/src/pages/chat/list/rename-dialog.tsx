import { useState } from 'react';
import { texts } from '../../../texts/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field, inputClass } from '../../../ui/field.tsx';

export function RenameDialog({
  title,
  onRename,
  onClose,
}: {
  readonly title: string;
  readonly onRename: (title: string) => void;
  readonly onClose: () => void;
}) {
  const [text, setText] = useState(title);
  const labels = texts.chat.list;
  return (
    <Dialog isOpen onClose={onClose} title={labels.rename}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          onClose();
          if (text.trim() !== title) onRename(text.trim());
        }}
      >
        <Field label={labels.title}>
          {(attributes) => (
            <input
              {...attributes}
              className={inputClass}
              maxLength={200}
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          )}
        </Field>
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{texts.app.cancel}</Button>
          <Button type="submit" variant="primary" disabled={text.trim() === ''}>
            {texts.app.save}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
