import type { CommandGroup } from '../command.ts';

/** The commands for linked machines. */
export const link: CommandGroup = {
  name: 'link',
  summary: 'Use the models of another machine in your network',
  commands: [
    {
      name: 'offer',
      summary: 'Make a code that links another machine to this one',
      load: async () => (await import('./link.ts')).linkOffer,
    },
    {
      name: 'add',
      summary: 'Link another machine, whose models are then used here',
      load: async () => (await import('./link.ts')).linkAdd,
    },
    {
      name: 'ls',
      aliases: ['list'],
      summary: 'List the linked machines',
      load: async () => (await import('./link.ts')).linkLs,
    },
    {
      name: 'rm',
      aliases: ['remove', 'delete'],
      summary: 'End the links with a machine, in both directions',
      load: async () => (await import('./link.ts')).linkRm,
    },
  ],
};
