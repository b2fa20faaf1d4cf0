import { loadedTexts } from './load-texts.ts';

/** The texts of projects and imports. Each component that needs them is loaded with `withTexts`. */
export const projectsTexts = loadedTexts('projects');
