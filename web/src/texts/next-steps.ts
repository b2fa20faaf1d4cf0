/** Texts in the language of the app; in a module of their own, so that the first load leaves them out. */
export { nextSteps } from './en/next-steps.ts';
