import { Menu as BaseMenu } from '@base-ui/react/menu';
import type { LucideIcon } from 'lucide-react';
import type { RefObject } from 'react';
import { classNames } from './class-names.ts';

export interface MenuItem {
  /** Unique among the items; defaults to the label. */
  readonly id?: string;
  readonly label: string;
  readonly icon?: LucideIcon;
  readonly isDanger?: boolean;
  readonly onSelect: () => void;
}

interface MenuPopupProps {
  /** The button that opened the menu. */
  readonly anchor: RefObject<HTMLButtonElement | null>;
  readonly items: readonly MenuItem[];
  readonly align: 'start' | 'end';
  readonly onClose: () => void;
}

/** The open list of a menu. */
export function MenuPopup({ anchor, items, align, onClose }: MenuPopupProps) {
  return (
    <BaseMenu.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <BaseMenu.Portal>
        <BaseMenu.Positioner anchor={anchor} sideOffset={6} align={align} className="z-50">
          <BaseMenu.Popup
            finalFocus={anchor}
            className="popup max-h-[min(24rem,var(--available-height))] max-w-[min(22rem,90vw)] min-w-44 overflow-y-auto rounded-xl border bg-raised p-1 shadow-pop outline-none"
          >
            {items.map(({ id, label, icon: Icon, isDanger, onSelect }) => (
              <BaseMenu.Item
                key={id ?? label}
                onClick={onSelect}
                className={classNames(
                  'flex cursor-pointer items-center gap-2.5 rounded-lg px-2.5 py-1.5 text-sm outline-none data-highlighted:bg-hover',
                  isDanger === true && 'text-danger',
                )}
              >
                {Icon !== undefined && <Icon size={16} aria-hidden />}
                {label}
              </BaseMenu.Item>
            ))}
          </BaseMenu.Popup>
        </BaseMenu.Positioner>
      </BaseMenu.Portal>
    </BaseMenu.Root>
  );
}
