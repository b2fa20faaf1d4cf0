import { Dialog as BaseDialog } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import type { DialogProps } from './dialog.tsx';
import { iconButtonClass } from './icon-button.tsx';
import { texts } from '../texts/texts.ts';

/** A panel beside the page, which stays usable. On a phone, the panel covers the page. Escape closes it. */
export function SidePanel({ isOpen, onClose, title, children }: DialogProps) {
  return (
    <BaseDialog.Root
      open={isOpen}
      modal={false}
      disablePointerDismissal
      onOpenChange={(open) => !open && onClose()}
    >
      <BaseDialog.Portal>
        <BaseDialog.Popup className="fixed inset-y-0 end-0 z-30 flex w-full flex-col border-s bg-panel shadow-pop sm:w-96">
          <header className="flex items-center gap-3 border-b px-4 py-2">
            <BaseDialog.Title className="min-w-0 flex-1 text-base font-semibold">
              {title}
            </BaseDialog.Title>
            <BaseDialog.Close aria-label={texts.app.close} className={iconButtonClass}>
              <X size={17} aria-hidden />
            </BaseDialog.Close>
          </header>
          <div className="flex-1 overflow-y-auto overscroll-contain px-4 py-4">{children}</div>
        </BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  );
}
