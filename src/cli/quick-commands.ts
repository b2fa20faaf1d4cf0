import type { CommandEntry } from './command.ts';

export const status: CommandEntry = {
  name: 'status',
  summary: 'Show server status, memory usage and loaded models',
  load: async () => (await import('./commands/ls.ts')).status,
};

export const ls: CommandEntry = {
  name: 'ls',
  aliases: ['list'],
  summary: 'List models on disk',
  load: async () => (await import('./commands/ls.ts')).ls,
};

export const ps: CommandEntry = {
  name: 'ps',
  summary: 'List loaded models',
  load: async () => (await import('./commands/ls.ts')).ps,
};

/** Commands that people and scripts run often. They start faster than the others if their name is the first argument. */
export const quickCommands: readonly CommandEntry[] = [status, ls, ps];
