import { loadedTexts } from './load-texts.ts';

/** The texts of this page, which its route loads with `withTexts`. */
export const voiceTexts = loadedTexts('voice');
