import * as z from 'zod';
import { parseJson } from '../kernel/parse-json.ts';

/** One setting: its values and its purpose. */
export interface SettingDeclaration {
  readonly schema: z.ZodType;
  readonly description: string;
  /** Description of a default that depends on the machine or the home folder. */
  readonly computedDefault?: string;
  /** An additional environment variable. */
  readonly alias?: string;
  /** Secrets are never shown in messages or lists of settings. */
  readonly isSecret?: boolean;
  /**
   * `path`: the value is a path or a list of paths, relative to the home folder. `name`: it may also be the name of a
   * program.
   */
  readonly path?: 'path' | 'name';
  /** True if a change takes effect in a running server. */
  readonly isLive?: boolean;
}

/** Declares a setting, keeping the type of its schema. */
export const setting = <Schema extends z.ZodType>(
  schema: Schema,
  description: string,
  more: Omit<SettingDeclaration, 'schema' | 'description'> = {},
) => ({ schema, description, ...more }) satisfies SettingDeclaration;

/** Formats a value as for flags and variables: lists with commas, objects as JSON. */
export function formatValue(value: unknown): string {
  if (Array.isArray(value)) return value.join(',');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/**
 * Kinds of settings. Values of flags and environment variables are strings, values of `config.json` are JSON. Each kind
 * accepts both and returns JSON. Its error message states the allowed values.
 */
export const integer = (minimum: number, maximum: number) => {
  const allowed = `It must be a whole number from ${minimum} to ${maximum}.`;
  const digits = z.string().regex(/^\d+$/).transform(Number);
  return z
    .union([z.number(), digits], allowed)
    .pipe(z.int(allowed).min(minimum, allowed).max(maximum, allowed));
};
export const boolean = z
  .union([z.boolean(), z.stringbool()], 'It must be true or false.')
  .pipe(z.boolean());
export const notEmpty = 'It must be a non-empty string.';
export const text = z.string(notEmpty).min(1, notEmpty);
export const list = z
  .union(
    [
      z.array(z.string().min(1)),
      z.string().transform((joined) =>
        joined
          .split(',')
          .map((part) => part.trim())
          .filter(Boolean),
      ),
    ],
    'It must be a list of strings, or one string with commas between the items.',
  )
  .pipe(z.array(z.string().min(1)));
export const database = text.regex(
  /^(?:postgres(?:ql)?:\/\/|(?!.*:\/\/))/s,
  'It must be a file, or postgres://USER@HOST/DATABASE.',
);
/** Accepts an object, or its JSON text, as flags and variables have it. No setting accepts undefined in place of JSON. */
const objectOrJson = <Value extends z.ZodType>(values: Value, allowed: string) =>
  z.union([z.record(z.string(), values), z.string().transform(parseJson)], allowed);
const environmentAllowed =
  'It must be an object such as {"NAME": "value"}, whose values are strings, or its JSON.';
export const variables = objectOrJson(z.string(), environmentAllowed).pipe(
  z.record(
    z.string().regex(/^[^=\0]+$/u, environmentAllowed),
    z.string(environmentAllowed).regex(/^[^\0]*$/u, environmentAllowed),
    environmentAllowed,
  ),
);
const aliasesAllowed =
  'It must be an object such as {"alias": "publisher/model"}. In place of a model it may have a list of 1 to 16: keys, or objects such as {"model": "publisher/model", "when": "loaded", "maxWaitSeconds": 10}. An alias has at most one "*", 256 characters, and no space around it.';
const aliasModel = z.string(aliasesAllowed).regex(/^\S(?:.{0,510}\S)?$/s, aliasesAllowed);
const longestWait = 86_400;
const chainEntry = z.union(
  [
    aliasModel,
    z.strictObject(
      {
        model: aliasModel,
        when: z.literal('loaded', aliasesAllowed).optional(),
        maxWaitSeconds: z
          .number(aliasesAllowed)
          .min(0, aliasesAllowed)
          .max(longestWait, aliasesAllowed)
          .optional(),
      },
      aliasesAllowed,
    ),
  ],
  aliasesAllowed,
);
const aliasModels = z.union(
  [aliasModel, z.array(chainEntry, aliasesAllowed).min(1, aliasesAllowed).max(16, aliasesAllowed)],
  aliasesAllowed,
);
export const aliases = objectOrJson(z.unknown(), aliasesAllowed)
  .pipe(z.record(z.string(), aliasModels, aliasesAllowed))
  .refine((names) => Object.keys(names).every((name) => aliasPattern.test(name)), aliasesAllowed);
export const choice = <const Choice extends string>(choices: readonly Choice[]) =>
  z.enum(choices, `It must be one of ${choices.join(', ')}.`);
export const httpUrl = z.url({ protocol: /^https?$/, error: 'It must be an http or https URL.' });

const mirrorsAllowed =
  'It must be an object such as {"ollama": "https://registry.example.com"}. The names are "ollama", "docker" and "modelscope", each optional, and the values are http or https URLs.';
const mirror = z.url({ protocol: /^https?$/, error: mirrorsAllowed }).optional();
export const mirrors = objectOrJson(z.unknown(), mirrorsAllowed).pipe(
  z.strictObject({ ollama: mirror, docker: mirror, modelscope: mirror }, mirrorsAllowed),
);

const addressAllowed = 'It must be an address and a port, such as 0.0.0.0:1235 or [::]:1235.';
export const addressWithPort = z
  .string(addressAllowed)
  .regex(/^(?:\[[0-9a-fA-F:.]+\]|[^\s:[\]]+):\d{1,5}$/u, addressAllowed)
  .refine(
    (address) => Number(address.slice(address.lastIndexOf(':') + 1)) <= 65_535,
    addressAllowed,
  );

const publicUrlAllowed =
  'It must be an http or https URL, perhaps with a path, such as https://example.com/hearth.';
/** The public address of a server behind a proxy. Its path is a prefix of all paths of the server. */
export const publicUrl = z
  .url({ protocol: /^https?$/, error: publicUrlAllowed })
  .refine((value) => {
    if (!URL.canParse(value)) return true;
    const { username, password, search, hash, pathname } = new URL(value);
    return username + password + search + hash === '' && /^(\/[\w.~-]+)*\/?$/.test(pathname);
  }, publicUrlAllowed);

/** The URL of a bucket, with an optional prefix in its path. */
export const bucketUrl = httpUrl.refine(
  (value) => {
    if (!URL.canParse(value)) return true;
    const { username, password, search, hash, pathname } = new URL(value);
    const isPlain = username + password + search + hash === '';
    return isPlain && /^(\/[\w.~-]+)+\/?$/.test(pathname);
  },
  { error: 'It must be https://HOST/BUCKET or https://HOST/BUCKET/PREFIX.' },
);

/** A name that may contain one `*`. */
const aliasPattern = /^(?!\s)(?!.*\s$)(?=.{1,256}$)[^*]*\*?[^*]*$/s;
