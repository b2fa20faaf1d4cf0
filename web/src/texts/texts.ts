import { en } from './en.ts';

export type Texts = typeof en;

/** The texts of the page's language. English is the only one so far. */
export const texts: Texts = en;
