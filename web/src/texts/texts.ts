import { applyLanguage } from './language.ts';
import { loadedTexts, loadTexts } from './load-texts.ts';

// First, so that the frame of the page has its direction while the texts are loaded.
applyLanguage();
// No other file awaits at its top: some browsers run files that import such a file at the same time too early.
await loadTexts('app');

/** The texts of the frame and of the chat, in the language of the page. */
export const texts = loadedTexts('app');
