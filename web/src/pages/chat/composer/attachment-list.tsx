import { FileText, TextCursorInput, X } from 'lucide-react';
import { texts } from '../../../texts/texts.ts';
import { IconButton } from '../../../ui/icon-button.tsx';
import type { Attachment } from './attachments.ts';

/** What is attached to the next message. */
export function AttachmentList({
  attachments,
  onRemove,
  onInsert,
}: {
  readonly attachments: readonly Attachment[];
  readonly onRemove: (id: string) => void;
  /** Puts a text that was pasted into the message instead. */
  readonly onInsert: (id: string, text: string) => void;
}) {
  if (attachments.length === 0) return null;
  return (
    <ul className="flex flex-wrap gap-2 px-3 pt-3">
      {attachments.map(({ id, name, content, isKept, pasted }) => (
        <li
          key={id}
          title={isKept === true ? texts.chat.keptAttachment : name}
          className="flex items-center gap-1.5 rounded-lg border bg-panel py-1 pe-1 ps-2 text-xs"
        >
          {'image' in content ? (
            <img src={content.image.data_url} alt="" className="size-9 rounded object-cover" />
          ) : (
            <FileText size={15} aria-hidden className="shrink-0 text-muted" />
          )}
          <span className="max-w-40 truncate">{name}</span>
          {isKept === true && <span className="text-muted">{texts.chat.keptShort}</span>}
          {pasted !== undefined && isKept !== true && (
            <IconButton
              icon={TextCursorInput}
              label={texts.chat.insertPasted({ name })}
              size={14}
              className="!size-6"
              onClick={() => onInsert(id, pasted)}
            />
          )}
          <IconButton
            icon={X}
            label={texts.chat.removeAttachment({ name })}
            size={13}
            className="!size-6"
            onClick={() => onRemove(id)}
          />
        </li>
      ))}
    </ul>
  );
}
