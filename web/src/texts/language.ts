import { keep, readKept } from '../api/browser-storage.ts';

/** The languages of the app, by their tag, with the name that their speakers use. Each has a folder of this name. */
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
// Unit tests have no navigator, and without a locale Chromium names its language `en-US@posix`.
const tags = (typeof navigator === 'undefined' ? [] : navigator.languages).filter((tag) =>
  /^[a-z]{2,3}(?:-[a-z\d]{2,8})*$/i.test(tag),
);

/** The language that the user has chosen in this browser; undefined follows the browser. */
export const keptLanguage = languageOf(readKept(storageKey) ?? '');

/** The language of this page. It stays the same until the page is loaded again. */
export const language = keptLanguage ?? languageFor(tags);

/** How numbers and dates are written: as in the user's region, if the browser names one for the language. Digits are Latin. */
export const locale = new Intl.Locale(
  tags.find((tag) => baseOf(tag) === baseOf(language)) ?? language,
  { numberingSystem: 'latn' },
).toString();

/** True if the language is written from right to left. */
export const isRightToLeft = language === 'ar';

/** Tells the browser the language of the page, and the direction of its writing. */
export function applyLanguage(): void {
  // Unit tests have no document.
  if (typeof document === 'undefined') return;
  document.documentElement.lang = language;
  document.documentElement.dir = isRightToLeft ? 'rtl' : 'ltr';
}

/** A name in another script keeps the order of its characters: a path would end with its first slash. */
export function isolate(text: string): string {
  return isRightToLeft ? `\u2068${text}\u2069` : text;
}

/** The first of a browser's languages that the app has, in any of its regions. */
export function languageFor(wanted: readonly string[]): Language {
  return wanted.map(languageOf).find((each) => each !== undefined) ?? 'en';
}

/** Keeps the choice in this browser; undefined follows the browser. */
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
