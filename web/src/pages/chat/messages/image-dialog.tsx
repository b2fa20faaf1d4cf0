import { Dialog } from '@base-ui/react/dialog';
import { Download, X } from 'lucide-react';
import { useState } from 'react';
import { texts } from '../../../texts/texts.ts';
import { classNames } from '../../../ui/class-names.ts';
import { iconButtonClass } from '../../../ui/icon-button.tsx';

const buttonClass = `${iconButtonClass} !text-white hover:!bg-white/20`;

/** Shows a picture over the whole page: fitted to the page, and in its original size after a click. */
export function ImageDialog({
  url,
  onClose,
}: {
  readonly url: string;
  readonly onClose: () => void;
}) {
  const { picture } = texts.chat;
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop fixed inset-0 z-40 bg-black/85" />
        <Dialog.Popup
          aria-label={picture.title}
          className="popup fixed inset-0 z-40 flex flex-col outline-none"
        >
          <header className="flex justify-end gap-1 p-2">
            <a
              href={url}
              download={picture.fileName}
              aria-label={picture.download}
              className={buttonClass}
            >
              <Download size={18} aria-hidden />
            </a>
            <Dialog.Close aria-label={texts.app.close} className={buttonClass}>
              <X size={18} aria-hidden />
            </Dialog.Close>
          </header>
          <div className="relative flex min-h-0 flex-1 overflow-auto p-4">
            {/* Closes the dialog on a click beside the picture. Hidden from the keyboard, which has its own button. */}
            <Dialog.Close tabIndex={-1} aria-hidden className="absolute inset-0 cursor-default" />
            <ZoomableImage url={url} />
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function ZoomableImage({ url }: { readonly url: string }) {
  const [isFull, setFull] = useState(false);
  const { picture } = texts.chat;
  return (
    <button
      type="button"
      aria-pressed={isFull}
      aria-label={picture.actualSize}
      className={classNames(
        'relative m-auto',
        isFull ? 'shrink-0 cursor-zoom-out' : 'max-h-full max-w-full cursor-zoom-in',
      )}
      onClick={() => setFull(!isFull)}
    >
      <img
        src={url}
        alt=""
        className={classNames(
          'block rounded-lg bg-white',
          isFull ? 'max-w-none' : 'max-h-[calc(100dvh-5rem)] max-w-full object-contain',
        )}
      />
    </button>
  );
}
