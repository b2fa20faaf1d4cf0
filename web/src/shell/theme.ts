import { keep, readKept } from '../api/browser-storage.ts';
import { createStore } from '../api/store.ts';

export type Theme = 'light' | 'dark' | 'system';

const storageKey = 'hearth.theme';
const darkSystem = matchMedia('(prefers-color-scheme: dark)');

const stored = readKept(storageKey);
export const theme = createStore<Theme>(
  stored === 'light' || stored === 'dark' ? stored : 'system',
);

/** Applies the theme to the document, now and after each change. */
export function applyTheme(): void {
  const apply = () => {
    const chosen = theme.get();
    const isDark = chosen === 'dark' || (chosen === 'system' && darkSystem.matches);
    document.documentElement.dataset['theme'] = isDark ? 'dark' : 'light';
  };
  apply();
  theme.subscribe(apply);
  darkSystem.addEventListener('change', apply);
}

export function chooseTheme(chosen: Theme): void {
  keep(storageKey, chosen === 'system' ? null : chosen);
  theme.set(chosen);
}
