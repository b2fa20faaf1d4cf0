import { locale } from '../texts/language.ts';

const dateTime = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
const date = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });
const utcDay = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });
const time = new Intl.DateTimeFormat(locale, { timeStyle: 'medium' });

/** Day and time of an ISO date, in the zone of the browser. */
export const formatDateTime = (iso: string) => dateTime.format(new Date(iso));
/** Day of an ISO date. */
export const formatDate = (iso: string) => date.format(new Date(iso));
/** A day `YYYY-MM-DD` of UTC. */
export const formatUtcDay = (day: string) => utcDay.format(new Date(day));
/** Time of day of an ISO date, with seconds. */
export const formatTime = (iso: string) => time.format(new Date(iso));
