import type { CommandGroup } from '../command.ts';

/** Commands for presets. */
export const presets: CommandGroup = {
  name: 'presets',
  summary: 'Manage the presets of chats that the server keeps',
  commands: [
    {
      name: 'ls',
      aliases: ['list'],
      summary: 'List presets',
      load: async () => (await import('../commands/presets.ts')).presetsLs,
    },
    {
      name: 'show',
      summary: 'Show the values of a preset',
      load: async () => (await import('../commands/presets.ts')).presetsShow,
    },
    {
      name: 'set',
      aliases: ['add'],
      summary: 'Add a preset, or change values of one',
      load: async () => (await import('../commands/presets.ts')).presetsSet,
    },
    {
      name: 'rm',
      aliases: ['remove', 'delete'],
      summary: 'Delete a preset',
      load: async () => (await import('../commands/presets.ts')).presetsRm,
    },
    {
      name: 'export',
      summary: 'Print all presets as JSON',
      load: async () => (await import('../commands/presets.ts')).presetsExport,
    },
    {
      name: 'import',
      summary: 'Add the presets of a file, and replace those with the same names',
      load: async () => (await import('../commands/presets.ts')).presetsImport,
    },
  ],
};
