import type { OptionDeclaration } from './command.ts';
import { UsageError } from './failure.ts';

/** Builders for the options and arguments of a command. */

/** Present or not: `--json`. */
export function flag(flags: string, summary: string): OptionDeclaration<boolean> {
  return { flags, summary };
}

/** Any text, as it is. */
export function text(flags: string, summary: string): OptionDeclaration<string> {
  return { flags, summary, parse: (value) => value };
}

/** May be given more than once; the values in order. */
export function texts(flags: string, summary: string): OptionDeclaration<readonly string[]> {
  return { flags, summary, parse: (value, previous = []) => [...previous, value] };
}

/** A whole number, `minimum` and `maximum` included. */
export function integer(
  flags: string,
  summary: string,
  minimum: number,
  maximum: number,
): OptionDeclaration<number> {
  return {
    flags,
    summary,
    parse(value) {
      const number = Number(value);
      if (value.trim() !== '' && Number.isInteger(number) && number >= minimum && number <= maximum)
        return number;
      throw new UsageError(`It must be a whole number from ${minimum} to ${maximum}.`);
    },
  };
}

/** A number with decimals, `minimum` and `maximum` included. */
export function decimal(
  flags: string,
  summary: string,
  minimum: number,
  maximum: number,
): OptionDeclaration<number> {
  return {
    flags,
    summary,
    parse(value) {
      const number = Number(value);
      if (value.trim() !== '' && number >= minimum && number <= maximum) return number;
      throw new UsageError(`It must be a number from ${minimum} to ${maximum}.`);
    },
  };
}

/** One of some words, which the help lists. */
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
      throw new UsageError(`It must be one of ${choices.join(', ')}.`);
    },
  };
}

/** A boolean that is neither on nor off where the flag is absent. */
export function onOff(flags: string, summary: string): OptionDeclaration<boolean> {
  return {
    flags,
    summary,
    parse(value) {
      if (value === 'on' || value === 'off') return value === 'on';
      throw new UsageError('It must be on or off.');
    },
  };
}

export const required = (summary: string) => ({ summary, isRequired: true }) as const;
export const optional = (summary: string) => ({ summary, isRequired: false }) as const;
/** All that follows; empty where nothing does. */
export const rest = (summary: string) => ({ summary, isRequired: false, isRest: true }) as const;

export const jsonOption = { json: flag('--json', 'Print JSON') };

/** Where the server is and who asks; of every command that talks to one. */
export const connectionOptions = {
  host: text('--host <url>', 'Server to talk to, such as http://192.168.1.5:1234'),
  token: text('--token <token>', 'Token to send; HEARTH_TOKEN otherwise'),
};
