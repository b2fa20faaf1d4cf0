import { Dialog as BaseDialog } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { useRef, type ReactNode } from 'react';
import { texts } from '../texts/texts.ts';
import { classNames } from './class-names.ts';
import { iconButtonClass } from './icon-button.tsx';

const textField = 'input:is(:not([type]), [type=text], [type=search]), textarea';

export interface DialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly description?: string;
  readonly children: ReactNode;
  /** Width on large screens. */
  readonly className?: string;
}

/** A modal dialog. Escape and a click outside close it. Its first text field gets the focus. */
export function Dialog({ isOpen, onClose, title, description, children, className }: DialogProps) {
  const content = useRef<HTMLDivElement>(null);
  return (
    <BaseDialog.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className="backdrop fixed inset-0 z-40 bg-black/45" />
        <BaseDialog.Popup
          // On a touch screen, the keyboard would cover the dialog.
          initialFocus={(openType) =>
            openType === 'touch' ? true : (content.current?.querySelector(textField) ?? true)
          }
          className={classNames(
            'modal-dialog popup fixed inset-x-4 top-[10vh] z-40 mx-auto flex max-h-[80vh] max-w-lg flex-col overflow-hidden rounded-2xl border bg-raised shadow-pop',
            className,
          )}
        >
          <header className="flex items-start gap-3 px-5 pt-4 pb-2">
            <div className="min-w-0 flex-1">
              <BaseDialog.Title className="text-base font-semibold">{title}</BaseDialog.Title>
              {description !== undefined && (
                <BaseDialog.Description className="mt-0.5 text-sm text-muted">
                  {description}
                </BaseDialog.Description>
              )}
            </div>
            <BaseDialog.Close aria-label={texts.app.close} className={iconButtonClass}>
              <X size={17} aria-hidden />
            </BaseDialog.Close>
          </header>
          <div ref={content} className="overflow-y-auto px-5 pt-1 pb-5">
            {children}
          </div>
        </BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  );
}
