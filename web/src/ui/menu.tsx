import type { LucideIcon } from 'lucide-react';
import { lazy, Suspense, useRef, useState } from 'react';
import { IconButton } from './icon-button.tsx';
import type { MenuItem } from './menu-popup.tsx';

const MenuPopup = lazy(async () => ({ default: (await import('./menu-popup.tsx')).MenuPopup }));

interface MenuProps {
  readonly icon: LucideIcon;
  readonly label: string;
  readonly size?: number;
  readonly className?: string;
  readonly items: readonly MenuItem[];
  readonly align?: 'start' | 'end';
  readonly disabled?: boolean;
}

/** A button that opens a list of actions. The list is loaded and rendered on first use. */
export function Menu({ items, align = 'end', ...button }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  const anchor = useRef<HTMLButtonElement>(null);
  return (
    <>
      <IconButton
        ref={anchor}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        data-popup-open={isOpen ? '' : undefined}
        onClick={() => setOpen(true)}
        {...button}
      />
      {isOpen && (
        <Suspense>
          <MenuPopup anchor={anchor} items={items} align={align} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
