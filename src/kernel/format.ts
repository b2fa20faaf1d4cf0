const byteUnits = ['B', 'KB', 'MB', 'GB', 'TB'] as const;

/** Formats a size in decimal units: `3.1 MB`. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let index = 0;
  while (value >= 999.5 && index < byteUnits.length - 1) {
    value /= 1000;
    index += 1;
  }
  return `${index === 0 || value >= 99.95 ? value.toFixed(0) : value.toFixed(1)} ${byteUnits[index]}`;
}

/** Formats a duration in its two largest units: `350 ms`, `2.4 s`, `5 min 3 s`, `2 h 10 min`, `3 d 4 h`. */
export function formatDuration(seconds: number): string {
  if (seconds < 0.9995) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  const parts: readonly (readonly [number, string])[] = [
    [Math.floor(whole / 86_400), 'd'],
    [Math.floor(whole / 3600) % 24, 'h'],
    [Math.floor(whole / 60) % 60, 'min'],
    [whole % 60, 's'],
  ];
  const first = parts.findIndex(([amount]) => amount > 0);
  return parts
    .slice(first, first + 2)
    .filter(([amount]) => amount > 0)
    .map(([amount, unit]) => `${amount} ${unit}`)
    .join(' ');
}

/** Formats a number with thousands separators: `131,072`. Avoids `Intl`, whose first use is slow. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** Formats a number of things: `1 model`, `3 models`. */
export function formatNumberOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Formats an ISO time to the minute: `2026-11-02 09:30 UTC`. */
export function formatMinute(time: string): string {
  return `${time.slice(0, 16).replace('T', ' ')} UTC`;
}

const mostNames = 20;

/** Lists existing names in a sentence: `There are none.`, `There is only "a".`, `There are "a", "b" and 3 more.` */
export function describeNames(names: readonly string[]): string {
  const shown = names.slice(0, mostNames).map((name) => JSON.stringify(name.slice(0, 200)));
  if (names.length > mostNames) shown.push(`${names.length - mostNames} more`);
  const last = shown.pop();
  if (last === undefined) return 'There are none.';
  return shown.length === 0
    ? `There is only ${last}.`
    : `There are ${shown.join(', ')} and ${last}.`;
}
