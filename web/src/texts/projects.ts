import { loadedTexts } from './load-texts.ts';

/** The texts of projects and imports, which what shows them loads with `withTexts`. */
export const projectsTexts = loadedTexts('projects');
