import { keep, readKept } from '../../../api/browser-storage.ts';
import { createStore } from '../../../api/store.ts';
import type { ConversationSettings } from './conversation-settings.ts';

export interface Preset {
  readonly name: string;
  /** Without the model, so that a preset suits all of them. */
  readonly settings: Omit<ConversationSettings, 'model'>;
}

const storageKey = 'hearth.chat.presets';

/** Settings with a name, kept in the browser. */
export const presets = createStore<readonly Preset[]>(read());

export function savePreset({ name, settings }: Preset): void {
  write(
    [...presets.get().filter((each) => each.name !== name), { name, settings }].toSorted(
      (one, other) => one.name.localeCompare(other.name),
    ),
  );
}

export function deletePreset(name: string): void {
  write(presets.get().filter((each) => each.name !== name));
}

function write(next: readonly Preset[]): void {
  presets.set(next);
  keep(storageKey, JSON.stringify(next));
}

function read(): readonly Preset[] {
  try {
    return JSON.parse(readKept(storageKey) ?? '[]') as readonly Preset[];
  } catch {
    return [];
  }
}
