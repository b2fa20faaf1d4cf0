import { AudioLines, CircleAlert, FileText, LoaderCircle, TextCursorInput, X } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { texts } from '../../../texts/texts.ts';
import { formatBytes } from '../../../ui/bytes.ts';
import { classNames } from '../../../ui/class-names.ts';
import { IconButton } from '../../../ui/icon-button.tsx';
import { separated } from '../../../ui/separated.ts';
import { charactersPerToken, countCharacters, type TextDocument } from '../documents/document.ts';
import type { Attachment, AttachmentContent } from './attachments.ts';

const ImageDialog = lazy(async () => ({
  default: (await import('../messages/image-dialog.tsx')).ImageDialog,
}));
const DocumentDialog = lazy(async () => ({
  default: (await import('./document-dialog.tsx')).DocumentDialog,
}));

/** An attached file with its name and size. Shows its text after a click, or why it could not be read. */
export function AttachmentChip({
  attachment: { name, sizeBytes, content, isKept, pasted },
  onRemove,
  onInsert,
}: {
  readonly attachment: Attachment;
  readonly onRemove: () => void;
  readonly onInsert: (text: string) => void;
}) {
  const [isOpen, setOpen] = useState(false);
  const hasFault = 'fault' in content;
  const canOpen = 'image' in content || 'document' in content;
  const facts = separated([
    formatBytes(sizeBytes),
    'document' in content ? tokensOf(content.document) : undefined,
    isKept === true ? texts.chat.keptShort : undefined,
  ]);
  return (
    <li
      title={isKept === true ? texts.chat.keptAttachment : name}
      className={classNames(
        'flex max-w-full items-center gap-1.5 rounded-lg border py-1 pe-1 ps-2 text-xs',
        hasFault ? 'border-danger/60 bg-danger-soft' : 'bg-panel',
      )}
    >
      <button
        type="button"
        disabled={!canOpen}
        aria-label={canOpen ? texts.documents.show({ name }) : undefined}
        className="flex min-w-0 items-center gap-2 rounded text-start enabled:hover:text-accent"
        onClick={() => setOpen(true)}
      >
        <ChipIcon content={content} name={name} />
        {hasFault ? (
          <span role="alert" className="text-danger">
            {content.fault}
          </span>
        ) : (
          <span className="min-w-0">
            <span className="block max-w-52 truncate font-medium">{name}</span>
            <span className="block text-muted">{facts}</span>
          </span>
        )}
      </button>
      {'audio' in content && (
        <audio controls src={content.audio.data_url} className="h-8 w-56 max-w-full">
          <track kind="captions" />
        </audio>
      )}
      {pasted !== undefined && isKept !== true && (
        <IconButton
          icon={TextCursorInput}
          label={texts.chat.insertPasted({ name })}
          size={14}
          className="!size-6"
          onClick={() => onInsert(pasted)}
        />
      )}
      <IconButton
        icon={X}
        label={texts.chat.removeAttachment({ name })}
        size={13}
        className="!size-6"
        onClick={onRemove}
      />
      <Suspense>
        {isOpen && 'image' in content && (
          <ImageDialog url={content.image.data_url} onClose={() => setOpen(false)} />
        )}
        {isOpen && 'document' in content && (
          <DocumentDialog
            document={content.document}
            facts={facts}
            onClose={() => setOpen(false)}
          />
        )}
      </Suspense>
    </li>
  );
}

function ChipIcon({
  content,
  name,
}: {
  readonly content: AttachmentContent;
  readonly name: string;
}) {
  if ('image' in content)
    return <img src={content.image.data_url} alt="" className="size-9 rounded object-cover" />;
  if ('audio' in content)
    return <AudioLines size={15} aria-hidden className="shrink-0 text-muted" />;
  if ('isReading' in content)
    return (
      <LoaderCircle
        size={15}
        aria-label={texts.documents.reading({ name })}
        className="shrink-0 animate-spin text-muted"
      />
    );
  if ('fault' in content)
    return <CircleAlert size={15} aria-hidden className="shrink-0 text-danger" />;
  return <FileText size={15} aria-hidden className="shrink-0 text-muted" />;
}

function tokensOf(document: TextDocument): string {
  const tokens = Math.ceil(countCharacters(document) / charactersPerToken);
  return texts.documents.tokens({ tokens });
}
