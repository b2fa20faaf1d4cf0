import { Menu as BaseMenu } from '@base-ui/react/menu';
import type { LucideIcon } from 'lucide-react';
import type { ReactElement } from 'react';
import { classNames } from './class-names.ts';

export interface MenuItem {
  readonly label: string;
  readonly icon?: LucideIcon;
  readonly isDanger?: boolean;
  readonly onSelect: () => void;
}

/** A button that opens a list of actions. */
export function Menu({
  trigger,
  items,
  align = 'end',
}: {
  /** The button; it gets the attributes of the trigger. */
  readonly trigger: ReactElement;
  readonly items: readonly MenuItem[];
  readonly align?: 'start' | 'end';
}) {
  return (
    <BaseMenu.Root>
      <BaseMenu.Trigger render={trigger} />
      <BaseMenu.Portal>
        <BaseMenu.Positioner sideOffset={6} align={align} className="z-50">
          <BaseMenu.Popup className="popup min-w-44 rounded-xl border bg-raised p-1 shadow-pop outline-none">
            {items.map(({ label, icon: Icon, isDanger, onSelect }) => (
              <BaseMenu.Item
                key={label}
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
