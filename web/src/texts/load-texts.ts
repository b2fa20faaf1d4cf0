import { IntlMessageFormat } from 'intl-messageformat';
import { isolate, language, locale, type Language } from './language.ts';
import type app from './en/app.json';
import type compare from './en/compare.json';
import type developer from './en/developer.json';
import type devices from './en/devices.json';
import type models from './en/models.json';
import type projects from './en/projects.json';
import type voice from './en/voice.json';
import type { TextValues } from './text-values.ts';

/** The files of a language. All languages have the same keys as English. */
interface Catalogues {
  readonly app: typeof app;
  readonly models: typeof models;
  readonly developer: typeof developer;
  readonly devices: typeof devices;
  readonly compare: typeof compare;
  readonly projects: typeof projects;
  readonly voice: typeof voice;
}
export type Area = keyof Catalogues;

/** A message is a string, or a function if it contains values. */
type Texts<Message, Path extends string> = Message extends string
  ? Path extends keyof TextValues
    ? (values: TextValues[Path]) => string
    : string
  : Message extends readonly string[]
    ? readonly string[]
    : { readonly [Key in keyof Message]: Texts<Message[Key], `${Path}.${Key & string}`> };

const files = import.meta.glob<unknown>('./*/*.json', { import: 'default' });
const loaded = new Map<string, unknown>();

/** Loads a file in the page's language, once. */
export async function loadTexts(area: Area): Promise<void> {
  if (!loaded.has(area)) loaded.set(area, toTexts(await readCatalogue(language, area)));
}

/** Reads the messages of a file. The browser caches it, so that the next page has it even if the server does not respond. */
export async function readCatalogue(of: Language, area: Area): Promise<unknown> {
  return await files[`./${of}/${area}.json`]?.();
}

/** The texts of a file, which must be loaded. */
export function loadedTexts<Name extends Area>(area: Name): Texts<Catalogues[Name], Name> {
  if (!loaded.has(area)) throw new Error(`The texts of ${area} are not loaded: see withTexts.`);
  return loaded.get(area) as Texts<Catalogues[Name], Name>;
}

/** Loads the texts that a part of the app needs, and then imports that part. */
export function withTexts<Module>(
  areas: readonly Area[],
  load: () => Promise<Module>,
): () => Promise<Module> {
  return async () => {
    await Promise.all(areas.map(loadTexts));
    return await load();
  };
}

function toTexts(messages: unknown): unknown {
  if (typeof messages === 'string') return toText(messages);
  if (Array.isArray(messages)) return messages;
  if (typeof messages !== 'object' || messages === null) return messages;
  return Object.fromEntries(
    Object.entries(messages).map(([key, message]) => [key, toTexts(message)]),
  );
}

type Values = Readonly<Record<string, string | number>>;

/** Messages with values are parsed when they are first shown. */
function toText(message: string): string | ((values: Values) => string) {
  if (!message.includes('{')) return message;
  let format: IntlMessageFormat | undefined;
  return (values) => {
    format ??= new IntlMessageFormat(message, locale, undefined, { ignoreTag: true });
    return String(format.format(isolated(values)));
  };
}

function isolated(values: Values): Values {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'string' ? isolate(value) : value,
    ]),
  );
}
