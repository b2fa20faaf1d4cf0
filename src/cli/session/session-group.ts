import type { CommandGroup } from '../command.ts';

/** The commands for signed-in browsers. */
export const session: CommandGroup = {
  name: 'session',
  summary: 'Manage the browsers that are signed in',
  commands: [
    {
      name: 'ls',
      aliases: ['list'],
      summary: 'List the browsers that are signed in',
      load: async () => (await import('./session.ts')).sessionLs,
    },
    {
      name: 'rm',
      aliases: ['remove', 'delete', 'revoke'],
      summary: 'Sign a browser out',
      load: async () => (await import('./session.ts')).sessionRm,
    },
  ],
};
