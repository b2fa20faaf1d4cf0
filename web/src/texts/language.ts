import { keep, readKept } from '../api/browser-storage.ts';

/** Languages of the app by tag, with the name in the language itself. Each has a folder with the name of its tag. */
export const languages = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  es: 'Español',
  'pt-BR': 'Português (Brasil)',
  'zh-Hans': '简体中文',
  ja: '日本語',
  ar: 'العربية',
} as const;
export type Language = keyof typeof languages;

const storageKey = 'hearth.language';
// Unit tests have no navigator. Chromium without a locale reports `en-US@posix`, which is not a valid tag.
const tags = (typeof navigator === 'undefined' ? [] : navigator.languages).filter((tag) =>
  /^[a-z]{2,3}(?:-[a-z\d]{2,8})*$/i.test(tag),
);

/** The language that the user has chosen in this browser; undefined to use the browser's language. */
export const keptLanguage = languageOf(readKept(storageKey) ?? '');

/** The language of this page. It only changes when the page is reloaded. */
export const language = keptLanguage ?? languageFor(tags);

/** The locale for numbers and dates: the language with the user's region, if the browser has one. Digits are Latin. */
export const locale = new Intl.Locale(
  tags.find((tag) => baseOf(tag) === baseOf(language)) ?? language,
  { numberingSystem: 'latn' },
).toString();

/** True if the language is written right to left. */
export const isRightToLeft = language === 'ar';

/** Sets the language of the document and its text direction. */
export function applyLanguage(): void {
  // Unit tests have no document.
  if (typeof document === 'undefined') return;
  document.documentElement.lang = language;
  document.documentElement.dir = isRightToLeft ? 'rtl' : 'ltr';
}

/**
 * Isolates a name from the text direction around it; otherwise a path in right-to-left text would end with its first
 * slash.
 */
export function isolate(text: string): string {
  return isRightToLeft ? `\u2068${text}\u2069` : text;
}

/** The first of the browser's languages that the app supports, in any region. */
export function languageFor(wanted: readonly string[]): Language {
  return wanted.map(languageOf).find((each) => each !== undefined) ?? 'en';
}

/** Stores the user's choice in this browser; undefined to use the browser's language. */
export function keepLanguage(chosen: Language | undefined): void {
  keep(storageKey, chosen ?? null);
}

function languageOf(tag: string): Language | undefined {
  const known = Object.keys(languages) as Language[];
  return known.find((each) => baseOf(each) === baseOf(tag));
}

function baseOf(tag: string): string {
  return tag.toLowerCase().split('-', 1).join('');
}
