import { Check, Languages } from 'lucide-react';
import {
  keepLanguage,
  keptLanguage,
  language,
  languageFor,
  languages,
  type Language,
} from '../texts/language.ts';
import { readCatalogue } from '../texts/load-texts.ts';
import { texts } from '../texts/texts.ts';
import { Menu } from '../ui/menu.tsx';
import { showError } from '../ui/toasts.ts';

/** Chooses the language of the app in this browser. */
export function LanguageMenu() {
  const items = Object.entries(languages) as [Language, string][];
  const check = (isChosen: boolean) => (isChosen ? { icon: Check } : {});
  return (
    <Menu
      align="start"
      icon={Languages}
      label={texts.language.label}
      items={[
        {
          label: texts.language.automatic,
          ...check(keptLanguage === undefined),
          onSelect: () => void choose(undefined),
        },
        ...items.map(([tag, label]) => ({
          label,
          ...check(keptLanguage === tag),
          onSelect: () => void choose(tag),
        })),
      ]}
    />
  );
}

/** Reloads the page in the chosen language. Drafts and running answers survive the reload. */
async function choose(chosen: Language | undefined): Promise<void> {
  const next = chosen ?? languageFor(navigator.languages);
  try {
    // Loads the texts first, since without them the reloaded page would be empty.
    await readCatalogue(next, 'app');
  } catch (error) {
    showError(error);
    return;
  }
  keepLanguage(chosen);
  if (next !== language) location.reload();
}
