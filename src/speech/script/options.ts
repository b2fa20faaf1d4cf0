import { HearthError, type ErrorCode } from '../../kernel/errors/errors.ts';
import { maxSpeakers, speechScriptRequestSchema } from './schema.ts';
import { emotions as allEmotions, type SpeechScriptOptions } from './speech-script.ts';

/** The options with defaults filled in. */
export type ResolvedOptions = {
  readonly [Name in keyof SpeechScriptOptions]-?: NonNullable<SpeechScriptOptions[Name]>;
};

/** The constraint of each option, worded to follow the option's name. */
const requirements: Readonly<Record<keyof SpeechScriptOptions, string>> = {
  text: 'must be a text of 1 to 2,000,000 characters',
  mode: 'must be one of auto, single, multi',
  speakers: `must be a whole number from 1 to ${maxSpeakers}`,
  voices: 'must be an array of at most 100 names of voices, each at most 1,024 characters long',
  emotions: `must be an array of at most 100 of ${allEmotions.join(', ')}`,
  clean: 'must be true or false',
  output: 'must be one of plain, script, json',
};
const names = Object.keys(requirements).join(', ');

/**
 * Validates the options and adds defaults.
 *
 * @throws HearthError `missing_required_parameter`, `unrecognized_keys`, `invalid_type`, `invalid_value`.
 */
export function resolveOptions(options: SpeechScriptOptions): ResolvedOptions {
  const result = speechScriptRequestSchema.safeParse(options);
  if (result.success) {
    const { text, mode, speakers, voices, emotions, clean, output } = result.data;
    return {
      text,
      mode: mode ?? 'auto',
      speakers: speakers ?? 1,
      voices: voices ?? [],
      emotions: emotions ?? [],
      clean: clean ?? true,
      output: output ?? 'script',
    };
  }
  const [issue] = result.error.issues;
  if (issue?.code === 'unrecognized_keys') {
    const param = String(issue.keys[0]).slice(0, 64);
    const message = `${JSON.stringify(param)} is not a known option. Known are: ${names}.`;
    throw new HearthError('unrecognized_keys', message, { param });
  }
  const name = issue?.path[0];
  if (!isOptionName(name)) {
    throw new HearthError('invalid_type', `The options must be an object with: ${names}.`);
  }
  const value: unknown = options[name];
  if (value === undefined) {
    const message = `${JSON.stringify(name)} is required; it ${requirements[name]}.`;
    throw new HearthError('missing_required_parameter', message, { param: name });
  }
  const code: ErrorCode = issue?.code === 'invalid_type' ? 'invalid_type' : 'invalid_value';
  const position = issue?.path[1];
  const isItem = Array.isArray(value) && typeof position === 'number';
  const param = isItem ? `${name}[${position}]` : name;
  const wrong = show(isItem ? value[position] : value);
  const message = `${JSON.stringify(name)} ${requirements[name]}; ${param} is ${wrong}.`;
  throw new HearthError(code, message, { param });
}

const maxShownLength = 40;

function show(value: unknown): string {
  if (Array.isArray(value)) return `an array of ${value.length} items`;
  if (typeof value === 'object' && value !== null) return 'an object';
  if (typeof value !== 'string') return String(value);
  return value.length > maxShownLength
    ? `a text of ${value.length} characters`
    : JSON.stringify(value);
}

function isOptionName(name: PropertyKey | undefined): name is keyof SpeechScriptOptions {
  return typeof name === 'string' && Object.hasOwn(requirements, name);
}
