import { AttachmentChip } from './attachment-chip.tsx';
import type { Attachment } from './attachments.ts';

/** Attachments of the next message. */
export function AttachmentList({
  attachments,
  onRemove,
  onInsert,
}: {
  readonly attachments: readonly Attachment[];
  readonly onRemove: (id: string) => void;
  /** Inserts pasted text into the message, in place of its attachment. */
  readonly onInsert: (id: string, text: string) => void;
}) {
  if (attachments.length === 0) return null;
  return (
    <ul className="flex max-h-[40vh] flex-wrap gap-2 overflow-y-auto px-3 pt-3">
      {attachments.map((attachment) => (
        <AttachmentChip
          key={attachment.id}
          attachment={attachment}
          onRemove={() => onRemove(attachment.id)}
          onInsert={(text) => onInsert(attachment.id, text)}
        />
      ))}
    </ul>
  );
}
