import { Dialog } from '@base-ui/react/dialog';
import { texts } from '../texts/texts.ts';
import { isDrawerOpen } from './layout-state.ts';
import { Sidebar } from './sidebar.tsx';

/** The sidebar on narrow screens, shown over the page. */
export function Drawer() {
  return (
    <Dialog.Root open onOpenChange={isDrawerOpen.set}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop fixed inset-0 z-30 bg-black/45" />
        <Dialog.Popup
          aria-label={texts.app.navigation}
          className="drawer fixed inset-y-0 start-0 z-30 w-[min(19rem,86vw)] border-e bg-panel shadow-pop"
        >
          <Sidebar />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
