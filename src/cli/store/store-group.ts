import type { CommandGroup } from '../command.ts';

/** The commands for the database. */
export const store: CommandGroup = {
  name: 'store',
  summary: 'Manage the database of conversations',
  commands: [
    {
      name: 'prune',
      summary: 'Delete conversations that have not been used for a long time',
      load: async () => (await import('./store.ts')).storePrune,
    },
    {
      name: 'migrate',
      summary: 'Update the schema of the database (the server must not run)',
      load: async () => (await import('./store.ts')).storeMigrate,
    },
    {
      name: 'check',
      summary: 'Read the whole database and report damage',
      load: async () => (await import('./store.ts')).storeCheck,
    },
    {
      name: 'copy',
      summary: 'Copy to another database, SQLite or PostgreSQL (the server must not run)',
      load: async () => (await import('./store.ts')).storeCopy,
    },
    {
      name: 'vacuum',
      summary: 'Rewrite the database without unused space (the server must not run)',
      load: async () => (await import('./store.ts')).storeVacuum,
    },
    {
      name: 'backup',
      summary: 'Copy the database to a file',
      load: async () => (await import('./store.ts')).storeBackup,
    },
    {
      name: 'restore',
      summary: 'Replace the database with a backup (the server must not run)',
      load: async () => (await import('./store.ts')).storeRestore,
    },
  ],
};
