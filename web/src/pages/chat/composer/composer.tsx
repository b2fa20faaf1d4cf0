import { ArrowUp, Camera, LoaderCircle, Paperclip, Square } from 'lucide-react';
import { lazy, Suspense, useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { useCommands } from '../../../shell/commands.ts';
import { texts } from '../../../texts/texts.ts';
import { classNames } from '../../../ui/class-names.ts';
import { IconButton } from '../../../ui/icon-button.tsx';
import { showError } from '../../../ui/toasts.ts';
import type { InputPart } from '../conversations/conversation-queries.ts';
import { usePromptList } from '../prompts/use-prompt-list.tsx';
import { AttachmentList } from './attachment-list.tsx';
import { longPaste, pastedText, readContent, toParts, unreadFile } from './attachments.ts';
import { DictationButton } from './dictation-button.tsx';
import { DropZone } from './drop-zone.tsx';
import { RecordButton } from './record-button.tsx';
import { setContent, useAttachments } from './use-attachments.ts';
import { useDraft } from './use-draft.ts';

const CameraDialog = lazy(async () => ({
  default: (await import('./camera-dialog.tsx')).CameraDialog,
}));

interface ComposerProps {
  /** Key of drafts: the id of the conversation. */
  readonly draftKey: string;
  readonly isRunning: boolean;
  /** Why no message can be sent. */
  readonly isDisabled: boolean;
  /** True if the model supports images. */
  readonly hasVision: boolean;
  /** True if the model supports audio. */
  readonly hasHearing: boolean;
  /** Unused tokens of the context. */
  readonly freeTokens: number;
  /** Additional buttons. */
  readonly actions: ReactNode;
  readonly onSend: (parts: readonly InputPart[]) => void;
  readonly onStop: () => void;
}

/** A field for writing messages. Images, audio and files can be pasted, dropped or chosen. */
export function Composer({
  draftKey,
  isRunning,
  isDisabled,
  hasVision,
  hasHearing,
  freeTokens,
  actions,
  onSend,
  onStop,
}: ComposerProps) {
  const [text, setText] = useDraft(draftKey);
  const [attachments, changeAttachments] = useAttachments(draftKey);
  const [isPreparing, setPreparing] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const { chat } = texts;
  const prompts = usePromptList(text, (prompt) => {
    setText(prompt);
    field.current?.focus();
  });
  useFocusCommand(field);
  useEffect(() => {
    // Not on phones, which would open their keyboard.
    if (matchMedia('(pointer: fine)').matches) field.current?.focus();
  }, [draftKey]);

  const add = (files: Iterable<File>) => {
    for (const file of files) {
      const unread = unreadFile(file);
      changeAttachments((all) => [...all, unread]);
      void readContent(file).then((content) => setContent(unread.id, content));
    }
  };
  const remove = (id: string) => changeAttachments((all) => all.filter((each) => each.id !== id));
  const addPasted = (pasted: string) =>
    changeAttachments((all) => [...all, pastedText(pasted, all)]);
  const lacksVision = !hasVision && attachments.some(({ content }) => 'image' in content);
  const lacksHearing = !hasHearing && attachments.some(({ content }) => 'audio' in content);
  const isReading = attachments.some(({ content }) => 'isReading' in content);
  const isEmpty =
    text.trim() === '' &&
    attachments.every(({ isKept, content }) => isKept === true || 'fault' in content);
  const canSend =
    !isEmpty &&
    !isRunning &&
    !isDisabled &&
    !lacksVision &&
    !lacksHearing &&
    !isReading &&
    !isPreparing;
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
      <DropZone onFiles={add} />
      <div className="rounded-2xl border border-strong-line/50 bg-raised shadow-pop transition-colors focus-within:border-accent/70">
        <AttachmentList
          attachments={attachments}
          onRemove={remove}
          onInsert={(id, pasted) => {
            remove(id);
            setText(text === '' ? pasted : `${text}\n${pasted}`);
            field.current?.focus();
          }}
        />
        {(lacksVision || lacksHearing) && (
          <p role="alert" className="px-4 pt-3 text-sm text-warn">
            {lacksVision ? chat.noVision : chat.noHearing}
          </p>
        )}
        {prompts.list}
        <textarea
          ref={field}
          {...prompts.attributes}
          aria-label={chat.message}
          placeholder={chat.placeholder}
          dir="auto"
          rows={Math.min(10, text.split('\n').length)}
          className="field-sizing-content max-h-[40vh] min-h-11 w-full resize-none bg-transparent px-4 pt-3 pb-1 outline-none"
          value={text}
          onChange={(event) => setText(event.target.value)}
          onPaste={(event) => {
            const { files } = event.clipboardData;
            const pasted = event.clipboardData.getData('text/plain');
            if (files.length === 0 && pasted.length <= longPaste) return;
            event.preventDefault();
            if (files.length > 0) add(files);
            else addPasted(pasted);
          }}
          onKeyDown={(event) => {
            if (prompts.onKeyDown(event)) return;
            if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
              event.preventDefault();
              send();
            }
          }}
        />
        <div className="flex items-center gap-1 px-2 pb-2">
          <FileButton onFiles={add} />
          {hasVision && <CameraButton onPicture={(picture) => add([picture])} />}
          {hasHearing && <RecordButton onRecording={(audio) => add([audio])} />}
          <DictationButton onText={(said) => setText(text === '' ? said : `${text} ${said}`)} />
          {actions}
          <span className="flex-1" />
          {isPreparing && (
            <LoaderCircle
              size={17}
              aria-label={chat.preparing}
              className="me-1 animate-spin text-muted"
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

/** Takes a picture in a dialog, or on a phone with its camera app. */
function CameraButton({ onPicture }: { readonly onPicture: (picture: File) => void }) {
  const [isOpen, setOpen] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  // Browsers only allow cameras over HTTPS and on this machine.
  const hasCamera = navigator.mediaDevices !== undefined;
  if (!hasCamera && !matchMedia('(pointer: coarse)').matches) return null;
  return (
    <>
      <IconButton
        icon={Camera}
        label={texts.chat.camera}
        onClick={() => (hasCamera ? setOpen(true) : input.current?.click())}
      />
      {!hasCamera && (
        <input
          ref={input}
          type="file"
          hidden
          accept="image/*"
          capture="environment"
          aria-label={texts.chat.camera}
          onChange={({ target }) => {
            for (const picture of target.files ?? []) onPicture(picture);
            target.value = '';
          }}
        />
      )}
      {isOpen && (
        <Suspense>
          <CameraDialog onClose={() => setOpen(false)} onPicture={onPicture} />
        </Suspense>
      )}
    </>
  );
}
