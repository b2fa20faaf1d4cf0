import type { PluginConfiguration } from './plugin-file.ts';

/** Replaces a secret in responses. */
export const redacted = '[redacted]';

type JsonObject = Readonly<Record<string, unknown>>;
type Texts = Readonly<Record<string, string>>;

/** A redacted value was sent for a secret that does not exist; the message names it. */
export class MissingSecretError extends Error {
  override readonly name = 'MissingSecretError';
}

/** Keeps the names, and redacts all values. */
function redactValues(values: Texts): Record<string, string> {
  return Object.fromEntries(Object.keys(values).map((name) => [name, redacted]));
}

/** A URL without its user and password; the values of its query are redacted, too. */
export function redactUrl(url: string): string {
  const [address = '', ...fragments] = url.split('#');
  const [path = '', ...queries] = address.split('?');
  const query = queries.join('?').replaceAll(/=[^&]*/g, `=${redacted}`);
  return [
    path.replace(/(?<=^\w+:\/\/)[^/]*@/, `${redacted}@`),
    ...(queries.length > 0 ? [`?${query}`] : []),
    ...(fragments.length > 0 ? ['#', redacted] : []),
  ].join('');
}

/** An entry of mcp.json without its secrets. Arguments stay, since users recognize programs by them. */
export function withoutSecrets(entry: PluginConfiguration): PluginConfiguration {
  if (entry.type === 'process') return { ...entry, environment: redactValues(entry.environment) };
  return { ...entry, headers: redactValues(entry.headers) };
}

/** Keys that Hearth reads; keys of other programs stay in the file. */
const ownKeys = new Set(['type', 'command', 'args', 'env', 'cwd', 'url', 'headers']);

/**
 * The entry to write, with redacted values replaced by the present ones.
 *
 * @throws MissingSecretError
 */
export function restoreSecrets(entry: JsonObject, present: JsonObject = {}): JsonObject {
  const kept = Object.entries(present).filter(([key]) => !ownKeys.has(key));
  const restored = Object.entries(entry).map(([key, value]) => {
    if (key === 'env' || key === 'headers') return [key, restoreValues(key, value, present[key])];
    return [key, key === 'url' ? restoreUrl(value, present['url']) : value];
  });
  return Object.fromEntries([...kept, ...restored]);
}

function restoreValues(field: string, values: unknown, present: unknown): Texts {
  const known = new Map(Object.entries((present ?? {}) as Texts));
  return Object.fromEntries(
    Object.entries(values as Texts).map(([name, value]) => {
      if (value !== redacted) return [name, value];
      const secret = known.get(name);
      if (secret !== undefined) return [name, secret];
      throw new MissingSecretError(`${field}.${name} is ${redacted}, and has no value yet`);
    }),
  );
}

function restoreUrl(url: unknown, present: unknown): unknown {
  if (typeof url !== 'string' || !url.includes(redacted)) return url;
  const isPresent =
    typeof present === 'string' &&
    URL.canParse(present) &&
    redactUrl(new URL(present).href) === url;
  if (isPresent) return present;
  throw new MissingSecretError(
    `url has ${redacted} in it, and is not the present one; write the values`,
  );
}
