import { ArrowUp, Camera, FileText, LoaderCircle, Paperclip, Square, X } from 'lucide-react';
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { useCommands } from '../../../shell/commands.ts';
import { texts } from '../../../texts/texts.ts';
import { classNames } from '../../../ui/class-names.ts';
import { IconButton } from '../../../ui/icon-button.tsx';
import { showError } from '../../../ui/toasts.ts';
import type { InputPart } from '../conversations/conversation-queries.ts';
import { readAttachment, toParts, type Attachment } from './attachments.ts';
import { useAttachments } from './use-attachments.ts';
import { useDraft } from './use-draft.ts';

const CameraDialog = lazy(async () => ({
  default: (await import('./camera-dialog.tsx')).CameraDialog,
}));

interface ComposerProps {
  /** Id of the conversation, by which drafts are kept. */
  readonly draftKey: string;
  readonly isRunning: boolean;
  /** Why no message can be sent. */
  readonly isDisabled: boolean;
  /** Whether the model takes images. */
  readonly hasVision: boolean;
  /** Tokens of the context that the conversation does not use. */
  readonly freeTokens: number;
  readonly onSend: (parts: readonly InputPart[]) => void;
  readonly onStop: () => void;
}

/** Writes messages, with images and files by paste, drop and choice. */
export function Composer({
  draftKey,
  isRunning,
  isDisabled,
  hasVision,
  freeTokens,
  onSend,
  onStop,
}: ComposerProps) {
  const [text, setText] = useDraft(draftKey);
  const [attachments, changeAttachments] = useAttachments(draftKey);
  const [isPreparing, setPreparing] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const { chat } = texts;
  useFocusCommand(field);
  useEffect(() => {
    // A phone would open its keyboard.
    if (matchMedia('(pointer: fine)').matches) field.current?.focus();
  }, [draftKey]);

  const add = (files: Iterable<File>) => {
    for (const file of files) {
      readAttachment(file).then((each) => changeAttachments((all) => [...all, each]), showError);
    }
  };
  useDroppedFiles(add);
  const lacksVision = !hasVision && attachments.some(({ content }) => 'image' in content);
  const isEmpty = text.trim() === '' && attachments.every(({ isKept }) => isKept === true);
  const canSend = !isEmpty && !isRunning && !isDisabled && !lacksVision && !isPreparing;
  const send = () => {
    if (!canSend) return;
    const content = text.trim();
    const begin = async () => {
      const { parts, kept } = await toParts(attachments, content, freeTokens);
      onSend([...parts, ...(content === '' ? [] : [{ type: 'text' as const, content }])]);
      setText('');
      changeAttachments(() => kept);
    };
    setPreparing(true);
    begin()
      .catch(showError)
      .finally(() => setPreparing(false));
  };
  return (
    <form
      className="mx-auto w-full max-w-3xl px-3 pb-3 md:px-6 md:pb-5"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <div className="rounded-2xl border border-strong-line/50 bg-raised shadow-pop transition-colors focus-within:border-accent/70">
        <AttachmentList
          attachments={attachments}
          onRemove={(id) => changeAttachments((all) => all.filter((each) => each.id !== id))}
        />
        {lacksVision && (
          <p role="alert" className="px-4 pt-3 text-sm text-warn">
            {chat.noVision}
          </p>
        )}
        <textarea
          ref={field}
          aria-label={chat.message}
          placeholder={chat.placeholder}
          dir="auto"
          rows={Math.min(10, text.split('\n').length)}
          className="field-sizing-content max-h-[40vh] min-h-11 w-full resize-none bg-transparent px-4 pt-3 pb-1 outline-none"
          value={text}
          onChange={(event) => setText(event.target.value)}
          onPaste={(event) => {
            const { files } = event.clipboardData;
            if (files.length === 0) return;
            event.preventDefault();
            add(files);
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
              event.preventDefault();
              send();
            }
          }}
        />
        <div className="flex items-center gap-1 px-2 pb-2">
          <FileButton onFiles={add} />
          {hasVision && <CameraButton onPicture={(picture) => add([picture])} />}
          <span className="flex-1" />
          {isPreparing && (
            <LoaderCircle
              size={17}
              aria-label={chat.preparing}
              className="mr-1 animate-spin text-muted"
            />
          )}
          {isRunning ? (
            <IconButton
              icon={Square}
              label={chat.stop}
              size={14}
              className="!rounded-full !bg-text !text-bg hover:!opacity-85"
              onClick={onStop}
            />
          ) : (
            <IconButton
              icon={ArrowUp}
              label={chat.send}
              disabled={!canSend}
              className={classNames(
                '!rounded-full',
                canSend && '!bg-accent !text-on-accent hover:!bg-accent-hover',
              )}
              onClick={send}
            />
          )}
        </div>
      </div>
    </form>
  );
}

function useFocusCommand(field: { readonly current: HTMLTextAreaElement | null }): void {
  useCommands(
    useMemo(
      () => [
        {
          id: 'focus-message',
          label: texts.shortcuts.focusInput,
          keys: '/',
          run: () => field.current?.focus(),
        },
      ],
      [field],
    ),
  );
}

/** Files that are dropped anywhere on the page. */
function useDroppedFiles(add: (files: Iterable<File>) => void): void {
  const latest = useRef(add);
  useEffect(() => {
    latest.current = add;
  });
  useEffect(() => {
    const isWithFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') === true;
    const over = (event: DragEvent) => {
      if (isWithFiles(event)) event.preventDefault();
    };
    const drop = (event: DragEvent) => {
      if (!isWithFiles(event)) return;
      event.preventDefault();
      latest.current(event.dataTransfer?.files ?? []);
    };
    document.addEventListener('dragover', over);
    document.addEventListener('drop', drop);
    return () => {
      document.removeEventListener('dragover', over);
      document.removeEventListener('drop', drop);
    };
  }, []);
}

function FileButton({ onFiles }: { readonly onFiles: (files: Iterable<File>) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <IconButton
        icon={Paperclip}
        label={texts.chat.attach}
        onClick={() => input.current?.click()}
      />
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={texts.chat.attach}
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])]);
          target.value = '';
        }}
      />
    </>
  );
}

/** Takes a picture where the browser has a camera. */
function CameraButton({ onPicture }: { readonly onPicture: (picture: File) => void }) {
  const [isOpen, setOpen] = useState(false);
  // Browsers offer cameras to HTTPS and to this machine only.
  if (navigator.mediaDevices === undefined) return null;
  return (
    <>
      <IconButton icon={Camera} label={texts.chat.camera} onClick={() => setOpen(true)} />
      {isOpen && (
        <Suspense>
          <CameraDialog onClose={() => setOpen(false)} onPicture={onPicture} />
        </Suspense>
      )}
    </>
  );
}

function AttachmentList({
  attachments,
  onRemove,
}: {
  readonly attachments: readonly Attachment[];
  readonly onRemove: (id: string) => void;
}) {
  if (attachments.length === 0) return null;
  return (
    <ul className="flex flex-wrap gap-2 px-3 pt-3">
      {attachments.map(({ id, name, content, isKept }) => (
        <li
          key={id}
          title={isKept === true ? texts.chat.keptAttachment : name}
          className="flex items-center gap-1.5 rounded-lg border bg-panel py-1 pr-1 pl-2 text-xs"
        >
          {'image' in content ? (
            <img src={content.image.data_url} alt="" className="size-9 rounded object-cover" />
          ) : (
            <FileText size={15} aria-hidden className="shrink-0 text-muted" />
          )}
          <span className="max-w-40 truncate">{name}</span>
          {isKept === true && <span className="text-muted">{texts.chat.keptShort}</span>}
          <IconButton
            icon={X}
            label={texts.chat.removeAttachment(name)}
            size={13}
            className="!size-6"
            onClick={() => onRemove(id)}
          />
        </li>
      ))}
    </ul>
  );
}
