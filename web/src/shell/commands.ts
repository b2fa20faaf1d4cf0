import type { LucideIcon } from 'lucide-react';
import { useEffect } from 'react';
import { createStore } from '../api/store.ts';
import { matchesKeys } from './match-keys.ts';

/** An action in the command palette, optionally with a shortcut. */
export interface Command {
  readonly id: string;
  readonly label: string;
  readonly icon?: LucideIcon;
  /** Keys in the format of `parseKeys`: `mod+k`, `?`. `mod` is Ctrl, or Cmd on a Mac. */
  readonly keys?: string;
  /** True if the keys also work while a text field has the focus. */
  readonly worksInFields?: boolean;
  /** True if the palette does not list it. */
  readonly isHidden?: boolean;
  readonly run: () => void;
}

export const commands = createStore<readonly Command[]>([]);

/** Adds commands while a component is mounted. The list must be memoized. */
export function useCommands(list: readonly Command[]): void {
  useEffect(() => {
    commands.set((all) => [...all, ...list]);
    return () => commands.set((all) => all.filter((each) => !list.includes(each)));
  }, [list]);
}

export const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

/** Runs the command of each key press; must be called once. Returns a function that stops it. */
export function listenForKeys(): () => void {
  const listener = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing) return;
    const isInField = isField(event.target);
    const command = commands
      .get()
      .findLast(
        ({ keys, worksInFields }) =>
          keys !== undefined &&
          matchesKeys(keys, event) &&
          (!isInField || worksInFields === true || keys.includes('mod+')),
      );
    if (command === undefined) return;
    event.preventDefault();
    command.run();
  };
  document.addEventListener('keydown', listener);
  return () => document.removeEventListener('keydown', listener);
}

function isField(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/** Display names of keys: `Ctrl K`. */
export function shownKeys(keys: string): readonly string[] {
  const names: Readonly<Record<string, string>> = {
    mod: isMac ? '⌘' : 'Ctrl',
    shift: isMac ? '⇧' : 'Shift',
    escape: 'Esc',
    enter: 'Enter',
  };
  return keys.split('+').map((key) => names[key] ?? key.toUpperCase());
}
