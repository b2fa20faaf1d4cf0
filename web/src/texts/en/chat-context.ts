/** Texts of a conversation that fills the context. */
export const contextTexts = {
  title: 'Context',
  full: (percent: number) => `This conversation fills ${percent} % of the context.`,
  dropping: (percent: number) =>
    `This conversation fills ${percent} % of the context. The oldest messages are left out when it is full.`,
  drop: 'Leave out the oldest messages',
  summarize: 'Continue from a summary',
  noSummary: 'The model wrote no summary.',
  summaryRequest:
    'Summarize our conversation so far in at most 300 words: its topic, the facts and decisions, names and numbers, and what is open. Write the summary only.',
  summaryMessage: (summary: string) =>
    `Summary of our conversation so far:\n\n${summary}\n\nConfirm in one short sentence. I continue from here.`,
};
