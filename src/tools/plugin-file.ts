import * as z from 'zod';
import { parseJsonDocument } from '../kernel/json-document.ts';
import { builtInLabels, pluginLabelSchema } from './plugin-label.ts';

/** How to connect to a plugin. */
export type PluginConfiguration =
  | {
      readonly type: 'process';
      readonly command: string;
      readonly arguments: readonly string[];
      readonly environment: Readonly<Record<string, string>>;
      readonly workingFolder: string | undefined;
      readonly timeoutMs: number | undefined;
    }
  | {
      readonly type: 'http';
      readonly url: URL;
      readonly headers: Readonly<Record<string, string>>;
      /** Time limit of a tool call. It also applies to connecting, if it is shorter than the usual limit. */
      readonly timeoutMs: number | undefined;
    };

/** An entry of mcp.json, or the reason why it is invalid. */
export type PluginEntry = PluginConfiguration | { readonly type: 'faulty'; readonly fault: string };

/** The file as a whole can't be used; the message says why. */
export class PluginFileError extends Error {
  override readonly name = 'PluginFileError';
}

const text = z
  .string('must be a text')
  .max(32_768, 'is too long')
  .regex(/^[^\0]*$/u, 'must not hold the character NUL');
const notEmpty = text.min(1, 'must not be empty');
const variables = z.record(
  z.string().regex(/^[^=\0]+$/u, 'must be the name of a variable'),
  text,
  'must be an object of texts',
);

const timeoutAllowed = 'must be a whole number from 1 to 3600';
const timeoutSeconds = z
  .int(timeoutAllowed)
  .min(1, timeoutAllowed)
  .max(3600, timeoutAllowed)
  .optional();

const processSchema = z.looseObject({
  command: notEmpty,
  args: z.array(text, 'must be a list of texts').max(1000, 'is too long').default([]),
  env: variables.default({}),
  cwd: notEmpty.optional(),
  timeoutSeconds,
});
const httpSchema = z.looseObject({
  url: z.url({ protocol: /^https?$/u, error: 'must be an http or https URL' }),
  headers: z
    .record(
      z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/u, 'must be the name of a header'),
      text.regex(/^[\t\u0020-\u007E\u0080-\u00FF]*$/u, 'must be one line of Latin text'),
      'must be an object of texts',
    )
    .default({}),
  timeoutSeconds,
});
const fileSchema = z.looseObject(
  { mcpServers: z.record(z.string(), z.unknown(), 'must be an object').default({}) },
  'must be an object',
);

/**
 * Parses the text of an mcp.json. An invalid entry does not affect the others. Other programs' keys are ignored.
 *
 * @throws PluginFileError
 */
export function parsePluginFile(content: string): ReadonlyMap<string, PluginEntry> {
  const file = fileSchema.safeParse(parsePluginJson(content));
  if (!file.success) throw new PluginFileError(describe(file.error, 'mcp.json'));
  return new Map(
    Object.entries(file.data.mcpServers).map(([label, entry]) => [label, parseEntry(label, entry)]),
  );
}

/**
 * Parses JSON that may begin with a byte order mark, which some editors write.
 *
 * @throws PluginFileError, caused by a JsonSyntaxError with the position.
 */
export function parsePluginJson(content: string): unknown {
  try {
    return parseJsonDocument(content).value;
  } catch (error) {
    throw new PluginFileError('mcp.json is not valid JSON', { cause: error });
  }
}

function parseEntry(label: string, entry: unknown): PluginEntry {
  const place = `mcpServers.${label}`;
  const fault = (reason: string): PluginEntry => ({ type: 'faulty', fault: reason });
  const named = pluginLabelSchema.safeParse(label);
  if (!named.success) return fault(describeLabel(label, named.error));
  if (builtInLabels.has(label)) return fault(`${place} has the name of a plugin of Hearth's own`);
  const kind = z.looseObject({}, 'must be an object').safeParse(entry);
  if (!kind.success) return fault(describe(kind.error, place));
  const isProcess = kind.data['command'] !== undefined;
  if (isProcess === (kind.data['url'] !== undefined)) {
    return fault(`${place} must have either command or url`);
  }
  if (isProcess) {
    const parsed = processSchema.safeParse(entry);
    if (!parsed.success) return fault(describe(parsed.error, place));
    const { command, args, env, cwd } = parsed.data;
    return {
      type: 'process',
      command,
      arguments: args,
      environment: env,
      workingFolder: cwd,
      timeoutMs: toMs(parsed.data.timeoutSeconds),
    };
  }
  const parsed = httpSchema.safeParse(entry);
  if (!parsed.success) return fault(describe(parsed.error, place));
  const { url, headers } = parsed.data;
  return {
    type: 'http',
    url: new URL(url),
    headers,
    timeoutMs: toMs(parsed.data.timeoutSeconds),
  };
}

const toMs = (seconds: number | undefined): number | undefined =>
  seconds === undefined ? undefined : seconds * 1000;

/** The reason why a label is not allowed. */
export function describeLabel(label: string, error: z.ZodError): string {
  return describe(error, `the label ${JSON.stringify(label)}`);
}

/** `mcpServers.files.args[1] must be a text`. */
function describe({ issues }: z.ZodError, place: string): string {
  const [issue] = issues;
  if (issue === undefined) return `${place} is not valid`;
  const path = issue.path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`));
  const inner = issue.code === 'invalid_key' ? issue.issues[0]?.message : undefined;
  return `${place}${path.join('')} ${inner ?? issue.message}`;
}
