import { applyLanguage } from './language.ts';
import { loadedTexts, loadTexts } from './load-texts.ts';

// Called first, so that the layout has its direction while the texts are loaded.
applyLanguage();
// No other file may use top-level await: some browsers run modules that import such a file too early.
await loadTexts('app');

/** The texts of the layout and the chat, in the language of the page. */
export const texts = loadedTexts('app');
