import { useMutation } from '@tanstack/react-query';
import { LoaderCircle, Sparkles } from 'lucide-react';
import { useState } from 'react';
import { texts } from '../../../texts/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field, inputClass } from '../../../ui/field.tsx';
import { askModel } from '../conversations/ask-model.ts';
import type { ConversationRecord } from '../conversations/conversation-queries.ts';
import { cleanTitle } from './clean-title.ts';

/** Renames a conversation. The model can suggest a title. */
export function RenameDialog({
  conversation,
  onRename,
  onClose,
}: {
  readonly conversation: ConversationRecord;
  readonly onRename: (title: string) => void;
  readonly onClose: () => void;
}) {
  const { title, model, last_response_id: previousId } = conversation;
  const [text, setText] = useState(title);
  const suggestion = useMutation({
    mutationFn: () => askModel({ model, previousId, text: texts.titles.request, maxTokens: 32 }),
    onSuccess: (answer) => setText((previous) => cleanTitle(answer) || previous),
  });
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
              onFocus={(event) => event.target.select()}
              onChange={(event) => setText(event.target.value)}
            />
          )}
        </Field>
        <div className="flex flex-wrap justify-end gap-2">
          <Button
            variant="quiet"
            className="me-auto"
            disabled={suggestion.isPending}
            onClick={() => suggestion.mutate()}
          >
            {suggestion.isPending ? (
              <LoaderCircle size={15} aria-hidden className="animate-spin" />
            ) : (
              <Sparkles size={15} aria-hidden />
            )}
            {texts.titles.suggest}
          </Button>
          <Button onClick={onClose}>{texts.app.cancel}</Button>
          <Button type="submit" variant="primary" disabled={text.trim() === ''}>
            {texts.app.save}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
