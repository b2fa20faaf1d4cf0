import { ArrowUp, Paperclip, Square, X } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useCommands } from '../../../shell/commands.ts';
import { texts } from '../../../texts/texts.ts';
import { classNames } from '../../../ui/class-names.ts';
import { IconButton } from '../../../ui/icon-button.tsx';
import { showError } from '../../../ui/toasts.ts';
import type { InputPart } from '../conversations/conversation-queries.ts';
import { readAttachment, type Attachment } from './attachments.ts';
import { useDraft } from './use-draft.ts';

interface ComposerProps {
  /** Id of the conversation, by which drafts are kept. */
  readonly draftKey: string;
  readonly isRunning: boolean;
  /** Why no message can be sent. */
  readonly isDisabled: boolean;
  /** Whether the model takes images. */
  readonly hasVision: boolean;
  readonly onSend: (parts: readonly InputPart[]) => void;
  readonly onStop: () => void;
}

/** Writes messages, with images and files by paste, drop and choice. */
export function Composer({
  draftKey,
  isRunning,
  isDisabled,
  hasVision,
  onSend,
  onStop,
}: ComposerProps) {
  const [text, setText] = useDraft(draftKey);
  const [attachments, setAttachments] = useState<readonly Attachment[]>([]);
  const field = useRef<HTMLTextAreaElement>(null);
  const { chat } = texts;
  useFocusCommand(field);
  useEffect(() => {
    // A phone would open its keyboard.
    if (matchMedia('(pointer: fine)').matches) field.current?.focus();
  }, [draftKey]);

  const add = (files: Iterable<File>) => {
    for (const file of files) {
      readAttachment(file).then((each) => setAttachments((all) => [...all, each]), showError);
    }
  };
  useDroppedFiles(add);
  const lacksVision = !hasVision && attachments.some(({ part }) => part.type === 'image');
  const isEmpty = text.trim() === '' && attachments.length === 0;
  const canSend = !isEmpty && !isRunning && !isDisabled && !lacksVision;
  const send = () => {
    if (!canSend) return;
    const content = text.trim();
    onSend([
      ...attachments.map(({ part }) => part),
      ...(content === '' ? [] : [{ type: 'text' as const, content }]),
    ]);
    setText('');
    setAttachments([]);
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
          onRemove={(id) => setAttachments((all) => all.filter((each) => each.id !== id))}
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
          <span className="flex-1" />
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
      {attachments.map(({ id, name, part }) => (
        <li
          key={id}
          className="flex items-center gap-1.5 rounded-lg border bg-panel py-1 pr-1 pl-2 text-xs"
        >
          {'data_url' in part && (
            <img src={part.data_url} alt="" className="size-9 rounded object-cover" />
          )}
          <span className="max-w-40 truncate">{name}</span>
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
