import { Dialog } from '@base-ui/react/dialog';
import { useId, useState } from 'react';
import { useStore } from '../api/store.ts';
import { texts } from '../texts/texts.ts';
import { keepInView, moveByArrows } from '../ui/arrow-keys.ts';
import { classNames } from '../ui/class-names.ts';
import { commands } from './commands.ts';
import { Keys } from './keys.tsx';
import { isPaletteOpen } from './layout-state.ts';
import { rankCommands } from './rank-commands.ts';

/** A list of all commands, filtered while the user types. Follows the combobox pattern of WAI-ARIA. */
export function CommandPalette() {
  const all = useStore(commands);
  const [query, setQuery] = useState('');
  const [active, setActive] = useState(0);
  const listId = useId();
  const found = rankCommands(
    all.filter(({ isHidden }) => isHidden !== true),
    query,
  );
  const position = Math.min(active, found.length - 1);
  const run = (index: number) => {
    isPaletteOpen.set(false);
    found[index]?.run();
  };
  return (
    <Dialog.Root open onOpenChange={isPaletteOpen.set}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop fixed inset-0 z-40 bg-black/40" />
        <Dialog.Popup
          aria-label={texts.palette.open}
          className="popup fixed inset-x-4 top-[14vh] z-40 mx-auto max-w-xl overflow-hidden rounded-2xl border bg-raised shadow-pop"
        >
          <input
            role="combobox"
            aria-expanded
            aria-controls={listId}
            aria-activedescendant={found.length === 0 ? undefined : `${listId}-${position}`}
            aria-label={texts.palette.placeholder}
            placeholder={texts.palette.placeholder}
            className="w-full border-b bg-transparent px-5 py-4 outline-none"
            value={query}
            onChange={(event) => {
              setQuery(event.target.value);
              setActive(0);
            }}
            onKeyDown={(event) => {
              moveByArrows(event, position, found.length, setActive);
              if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
                // Otherwise the key would also press the button that gets the focus next.
                event.preventDefault();
                run(position);
              }
            }}
          />
          <ul
            id={listId}
            role="listbox"
            aria-label={texts.palette.commands}
            className="max-h-[50vh] overflow-y-auto p-2"
          >
            {found.map(({ id, label, icon: Icon, keys }, index) => (
              <li
                key={id}
                ref={index === position ? keepInView : null}
                id={`${listId}-${index}`}
                role="option"
                aria-selected={index === position}
                className={classNames(
                  'flex cursor-pointer items-center gap-3 rounded-lg px-3 py-2 text-sm',
                  index === position && 'bg-hover',
                )}
                onMouseMove={() => setActive(index)}
                onClick={() => run(index)}
              >
                {Icon !== undefined && <Icon size={16} aria-hidden className="text-muted" />}
                <span className="min-w-0 flex-1 truncate">{label}</span>
                {keys !== undefined && (
                  <span className="max-sm:hidden">
                    <Keys keys={keys} />
                  </span>
                )}
              </li>
            ))}
          </ul>
          <p
            role="status"
            className={found.length === 0 ? 'px-5 pb-4 text-sm text-muted' : 'sr-only'}
          >
            {found.length === 0 ? texts.palette.empty : ''}
          </p>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
