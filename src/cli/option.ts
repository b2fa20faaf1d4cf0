import { readAdapterChoice } from '../kernel/adapter-names.ts';
import type { OptionDeclaration } from './command.ts';
import { UsageError } from './failure.ts';

/** Builders for the options and arguments of commands. */

/** A boolean flag: `--json`. */
export function flag(flags: string, summary: string): OptionDeclaration<boolean> {
  return { flags, summary };
}

/** Any text. */
export function text(flags: string, summary: string): OptionDeclaration<string> {
  return { flags, summary, parse: (value) => value };
}

/** Any text; the option can be repeated. */
export function textList(flags: string, summary: string): OptionDeclaration<readonly string[]> {
  return { flags, summary, parse: (value, previous = []) => [...previous, value] };
}

/** An integer from `minimum` to `maximum`, inclusive. */
export function integer(
  flags: string,
  summary: string,
  minimum: number,
  maximum: number,
): OptionDeclaration<number> {
  const parse = (value: string): number => {
    const number = readNumber(value);
    if (Number.isInteger(number) && number >= minimum && number <= maximum) return number;
    throw new UsageError(`Allowed: an integer from ${minimum} to ${maximum}.`);
  };
  return { flags, summary, parse };
}

/** A number from `minimum` to `maximum`, inclusive; may have decimals. */
export function decimal(
  flags: string,
  summary: string,
  minimum: number,
  maximum: number,
): OptionDeclaration<number> {
  const parse = (value: string): number => {
    const number = readNumber(value);
    if (number >= minimum && number <= maximum) return number;
    throw new UsageError(`Allowed: a number from ${minimum} to ${maximum}.`);
  };
  return { flags, summary, parse };
}

/** Returns NaN for texts that are not numbers, including an empty one. */
function readNumber(value: string): number {
  return value.trim() === '' ? Number.NaN : Number(value);
}

/** Comma-separated numbers of at least 0. */
export function numberList(flags: string, summary: string): OptionDeclaration<number[]> {
  return {
    flags,
    summary,
    parse: (list) =>
      list.split(',').map((item) => {
        const number = readNumber(item);
        if (Number.isFinite(number) && number >= 0) return number;
        throw new UsageError('Allowed: a list of numbers with commas, such as 3,1.');
      }),
  };
}

/** One of a fixed set of values, which the help lists. */
export function choice<const Choice extends string>(
  flags: string,
  summary: string,
  choices: readonly Choice[],
): OptionDeclaration<Choice> {
  return {
    flags,
    summary: `${summary} (${choices.join(', ')})`,
    parse(value) {
      const found = choices.find((candidate) => candidate === value);
      if (found !== undefined) return found;
      throw new UsageError(`Allowed: ${choices.join(', ')}.`);
    },
  };
}

/** Comma-separated values of a fixed set. The result has the order of the set. */
export function choiceList<const Choice extends string>(
  flags: string,
  summary: string,
  choices: readonly Choice[],
): OptionDeclaration<readonly Choice[]> {
  return {
    flags,
    summary,
    parse(list) {
      const names = list.split(',').map((name) => name.trim());
      const found = choices.filter((each) => names.includes(each));
      if (found.length === new Set(names).size) return found;
      throw new UsageError(`Allowed: ${choices.join(', ')}.`);
    },
  };
}

/** `on` or `off`; undefined if the option is not used. */
export function onOff(flags: string, summary: string): OptionDeclaration<boolean> {
  return {
    flags,
    summary,
    parse(value) {
      if (value === 'on' || value === 'off') return value === 'on';
      throw new UsageError('Allowed: on, off.');
    },
  };
}

export const required = (summary: string) => ({ summary, isRequired: true }) as const;
export const optional = (summary: string) => ({ summary, isRequired: false }) as const;
/** All remaining arguments, possibly none. */
export const rest = (summary: string) => ({ summary, isRequired: false, isRest: true }) as const;

export const adapterOption = {
  adapter: textList('--adapter <adapter[=scale]>', 'LoRA adapter to apply; can be repeated'),
};

/** Converts adapters such as `pirate` or `pirate=0.5` to the format of v1. */
export function toAdapters(values: readonly string[]) {
  return values.map((value) => {
    const { name, scale } = readAdapterChoice(value, '=');
    return { adapter: name, scale };
  });
}

export const jsonOption = { json: flag('--json', 'Print the result as JSON') };

/** Options of every command that sends requests to a server. */
export const connectionOptions = {
  host: text('--host <url>', 'URL of the server, such as http://192.168.1.5:1234'),
  token: text('--token <token>', 'API token (default: HEARTH_TOKEN)'),
};

/** Options of a command that shows a result of the server. */
export const clientOptions = { ...jsonOption, ...connectionOptions };
