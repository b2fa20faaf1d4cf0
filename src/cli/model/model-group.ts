import type { CommandGroup } from '../command.ts';

/** Commands for the settings of models and profiles. */
export const model: CommandGroup = {
  name: 'model',
  summary: 'Manage the settings of models, and profiles',
  commands: [
    {
      name: 'ls',
      aliases: ['list'],
      summary: 'List the models with settings, and the profiles',
      load: async () => (await import('../commands/model.ts')).modelLs,
    },
    {
      name: 'show',
      summary: 'Show the settings of a model or profile',
      load: async () => (await import('../commands/model.ts')).modelShow,
    },
    {
      name: 'set',
      aliases: ['settings'],
      summary: 'Change settings of a model or profile, or add a profile',
      load: async () => (await import('../commands/model.ts')).modelSet,
    },
    {
      name: 'reset',
      summary: 'Delete the settings of a model, or a profile; the model stays',
      load: async () => (await import('../commands/model.ts')).modelReset,
    },
    {
      name: 'export',
      summary: 'Print the settings of all models and profiles as JSON',
      load: async () => (await import('../commands/model.ts')).modelExport,
    },
    {
      name: 'import',
      summary: 'Replace the settings of the models and profiles of a file',
      load: async () => (await import('../commands/model.ts')).modelImport,
    },
  ],
};
