import { invalidValue } from '../../kernel/errors/errors.ts';

/** Idle time for "never unload": 100 years. */
const foreverSeconds = 100 * 365 * 24 * 3600;

const secondsOfUnit: Readonly<Record<string, number>> = {
  ns: 1e-9,
  us: 1e-6,
  µs: 1e-6,
  ms: 1e-3,
  s: 1,
  m: 60,
  h: 3600,
};
const durationPattern = /^([+-]?)((?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|ms|s|m|h))+$/;
const partPattern = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)/g;

/**
 * Converts `keep_alive` to the idle time in seconds. It is a number of seconds, or a duration in Go's notation
 * (`1h30m`).
 *
 * @returns undefined if absent; 0 to unload the model at once.
 * @throws HearthError `invalid_value`.
 */
export function toTtlSeconds(keepAlive: string | number | null | undefined): number | undefined {
  if (keepAlive == null || keepAlive === '') return undefined;
  const seconds = typeof keepAlive === 'number' ? keepAlive : toSeconds(keepAlive.trim());
  if (!Number.isFinite(seconds)) {
    throw invalidValue(
      'keep_alive',
      `\`keep_alive\` is ${JSON.stringify(keepAlive)}; it must be a number of seconds or a duration such as "5m".`,
    );
  }
  return seconds < 0 ? foreverSeconds : Math.min(seconds, foreverSeconds);
}

function toSeconds(text: string): number {
  if (/^[+-]?\d+(?:\.\d*)?$/.test(text)) return Number(text);
  const match = durationPattern.exec(text);
  if (match === null) return Number.NaN;
  const total = [...text.matchAll(partPattern)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * (secondsOfUnit[unit ?? ''] ?? Number.NaN),
    0,
  );
  return match[1] === '-' ? -total : total;
}
