import { Toast } from '@base-ui/react/toast';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { texts } from '../texts/texts.ts';
import { buttonClass } from './button.tsx';
import { classNames } from './class-names.ts';
import { TextWithCode } from './text-with-code.tsx';
import { toastManager } from './toasts.ts';

/**
 * Shows toasts below the header of the page, since at the bottom they would cover the send button. Beside a dialog they
 * are at the bottom on narrow screens, since dialogs begin at the top.
 */
export function Toaster({ children }: { readonly children: ReactNode }) {
  return (
    <Toast.Provider toastManager={toastManager} limit={4}>
      {children}
      <Toast.Portal>
        <Toast.Viewport className="fixed top-26 end-4 z-50 flex w-[min(24rem,calc(100vw-2rem))] flex-col gap-2 md:top-16 max-xl:[body:has(.modal-dialog)_&]:top-auto max-xl:[body:has(.modal-dialog)_&]:bottom-3">
          <Toasts />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function Toasts() {
  const { toasts } = Toast.useToastManager();
  return toasts.map((toast) => (
    <Toast.Root
      key={toast.id}
      toast={toast}
      className={classNames(
        'popup rounded-xl border bg-raised p-3 pe-10 text-sm shadow-pop',
        toast.type === 'error' && 'border-danger/50',
      )}
    >
      <Toast.Title className={classNames('font-medium', toast.type === 'error' && 'text-danger')}>
        {typeof toast.title === 'string' ? <TextWithCode text={toast.title} /> : toast.title}
      </Toast.Title>
      <Toast.Description className="text-muted" />
      {toast.actionProps !== undefined && (
        <Toast.Action className={`${buttonClass({ size: 'small' })} mt-2`} />
      )}
      <Toast.Close
        aria-label={texts.app.dismiss}
        className="absolute top-2 end-2 rounded-md p-1 text-muted hover:bg-hover hover:text-text"
      >
        <X size={16} aria-hidden />
      </Toast.Close>
    </Toast.Root>
  ));
}
