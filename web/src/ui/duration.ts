import { locale } from '../texts/language.ts';

const formatOf = (unit: string, digits = 0) =>
  new Intl.NumberFormat(locale, {
    style: 'unit',
    unit,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
const milliseconds = formatOf('millisecond');
const shortSeconds = formatOf('second', 1);
const minutes = formatOf('minute');
const hours = formatOf('hour');
const days = formatOf('day');

/** Formats a duration: `40 ms`, `1.8 sec`, `3 min`, `2 hr`. */
export function formatDuration(seconds: number): string {
  if (seconds < 0.9995) return milliseconds.format(seconds * 1000);
  if (seconds < 59.95) return shortSeconds.format(seconds);
  if (seconds < 3570) return minutes.format(seconds / 60);
  if (seconds < 47.5 * 3600) return hours.format(seconds / 3600);
  return days.format(seconds / 86_400);
}
