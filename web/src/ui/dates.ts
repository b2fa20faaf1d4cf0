import { locale } from '../texts/language.ts';

const dateTime = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
const date = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });
const utcDay = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });
const time = new Intl.DateTimeFormat(locale, { timeStyle: 'medium' });

/** Formats the day and time of an ISO date, in the browser's time zone. */
export const formatDateTime = (iso: string) => dateTime.format(new Date(iso));
/** Formats the day of an ISO date. */
export const formatDate = (iso: string) => date.format(new Date(iso));
/** Formats a UTC day `YYYY-MM-DD`. */
export const formatUtcDay = (day: string) => utcDay.format(new Date(day));
/** Formats the time of day of an ISO date, with seconds. */
export const formatTime = (iso: string) => time.format(new Date(iso));
