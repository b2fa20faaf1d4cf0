import { formatNumber } from './format-number.ts';

/** Texts of the tree of a conversation. */
export const branchTexts = {
  title: 'Branches',
  description: 'Editing a message and answering again begin a branch. Choose one to read it.',
  turns: (turns: number) => (turns === 1 ? '1 answer' : `${formatNumber(turns)} answers`),
  interrupted: 'interrupted',
  empty: 'Message without text',
};
