/** An adapter as named in a request or load. */
export interface AdapterChoice {
  readonly name: string;
  readonly scale: number;
}

/** A model's name with adapters, such as `model+adapter+other:0.5`. */
interface NameWithAdapters {
  readonly model: string;
  /** The suffix after the model's name, including the first plus sign. */
  readonly suffix: string;
  readonly choices: readonly AdapterChoice[];
}

/** A name with more parts is not a model with adapters. */
const maxParts = 9;

/**
 * Lists the ways to divide a name into a model and adapters, longest model first, since a model's name may have plus
 * signs.
 */
export function readAdapterNames(name: string): readonly NameWithAdapters[] {
  const parts = name.split('+');
  if (parts.length > maxParts || parts[0]?.trim() === '') return [];
  return parts
    .map((_, index) => parts.length - 1 - index)
    .filter((count) => count > 0 && parts.slice(count).every((part) => part.trim() !== ''))
    .map((count) => {
      const adapters = parts.slice(count);
      return {
        model: parts.slice(0, count).join('+'),
        suffix: adapters.map((adapter) => `+${adapter}`).join(''),
        choices: adapters.map((adapter) => readAdapterChoice(adapter, ':')),
      };
    });
}

/** Reads an adapter with a scale, such as `pirate:0.5`. The scale defaults to 1. */
export function readAdapterChoice(text: string, separator: ':' | '='): AdapterChoice {
  const at = text.lastIndexOf(separator);
  const scale = text.slice(at + 1).trim();
  if (at === -1 || !/^-?\d{1,2}(?:\.\d{1,6})?$/.test(scale)) return { name: text.trim(), scale: 1 };
  return { name: text.slice(0, at).trim(), scale: Number(scale) };
}
