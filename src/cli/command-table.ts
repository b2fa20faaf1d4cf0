import type { CommandDescription, CommandEntry, CommandGroup } from './command.ts';
import { ls, ps, status } from './quick-commands.ts';

/** All commands, in the order in which the help lists them. */
export const commandTable: readonly (CommandEntry | CommandGroup)[] = [
  {
    name: 'serve',
    summary: 'Start the server in the foreground',
    load: async () => (await import('./commands/serve.ts')).serve,
  },
  {
    name: 'server',
    summary: 'Manage the background server',
    commands: commandsOf(() => import('./commands/server.ts'), {
      serverStart: { name: 'start', summary: 'Start the server in the background' },
      serverStop: { name: 'stop', summary: 'Stop the background server' },
      serverStatus: {
        name: 'status',
        summary: 'Show whether the server is running (exit code 0) or not (1)',
      },
    }),
  },
  {
    name: 'service',
    summary: 'Manage the service that starts Hearth at boot',
    commands: commandsOf(() => import('./commands/service.ts'), {
      serviceInstall: { name: 'install', summary: 'Install and start the service' },
      serviceUninstall: {
        name: 'uninstall',
        summary: 'Stop and remove the service; its data stays',
      },
      serviceStatus: {
        name: 'status',
        summary: 'Show whether the service is running (exit code 0) or not (1)',
      },
      serviceLogs: { name: 'logs', summary: 'Show the log of the service' },
      serviceRestart: { name: 'restart', summary: 'Restart the service' },
    }),
  },
  status,
  {
    name: 'open',
    summary: 'Open the web app in a browser',
    load: async () => (await import('./commands/open.ts')).open,
  },
  {
    name: 'chat',
    aliases: ['run'],
    summary: 'Chat with a model',
    load: async () => (await import('./commands/chat.ts')).chat,
  },
  {
    name: 'model',
    summary: 'Manage the settings of models, and profiles',
    commands: commandsOf(() => import('./commands/model.ts'), {
      modelLs: {
        name: 'ls',
        aliases: ['list'],
        summary: 'List the models with settings, and the profiles',
      },
      modelShow: { name: 'show', summary: 'Show the settings of a model or profile' },
      modelSet: {
        name: 'set',
        aliases: ['settings'],
        summary: 'Change settings of a model or profile, or add a profile',
      },
      modelReset: {
        name: 'reset',
        summary: 'Delete the settings of a model, or a profile; the model stays',
      },
      modelExport: {
        name: 'export',
        summary: 'Print the settings of all models and profiles as JSON',
      },
      modelImport: {
        name: 'import',
        summary: 'Replace the settings of the models and profiles of a file',
      },
    }),
  },
  {
    name: 'presets',
    summary: 'Manage the presets of chats that the server keeps',
    commands: commandsOf(() => import('./commands/presets.ts'), {
      presetsLs: { name: 'ls', aliases: ['list'], summary: 'List presets' },
      presetsShow: { name: 'show', summary: 'Show the values of a preset' },
      presetsSet: {
        name: 'set',
        aliases: ['add'],
        summary: 'Add a preset, or change values of one',
      },
      presetsRm: { name: 'rm', aliases: ['remove', 'delete'], summary: 'Delete a preset' },
      presetsExport: { name: 'export', summary: 'Print all presets as JSON' },
      presetsImport: {
        name: 'import',
        summary: 'Add the presets of a file, and replace those with the same names',
      },
    }),
  },
  {
    name: 'conversations',
    summary: 'Manage stored conversations',
    commands: commandsOf(() => import('./commands/conversations.ts'), {
      conversationsImport: {
        name: 'import',
        summary: 'Import the conversations of ChatGPT, Claude, Open WebUI or LM Studio',
      },
    }),
  },
  {
    name: 'launch',
    summary: 'Show how to start a coding agent with this server, or start it',
    load: async () => (await import('./commands/launch.ts')).launch,
  },
  {
    name: 'script',
    summary: 'Convert text to a script for speech synthesis (needs no server)',
    load: async () => (await import('./commands/script.ts')).script,
  },
  {
    name: 'speak',
    summary: 'Speak a script with the configured text-to-speech server',
    load: async () => (await import('./commands/speak.ts')).speak,
  },
  ls,
  {
    name: 'show',
    summary: 'Show the details of a model',
    load: async () => (await import('./commands/show.ts')).show,
  },
  {
    name: 'search',
    summary: 'Search for models to download',
    load: async () => (await import('./commands/search.ts')).search,
  },
  {
    name: 'embed',
    summary: 'Embed texts as vectors',
    load: async () => (await import('./commands/embed.ts')).embed,
  },
  {
    name: 'bench',
    summary: 'Measure the speed and memory of a model on this machine',
    load: async () => (await import('./commands/bench.ts')).bench,
  },
  ps,
  {
    name: 'load',
    summary: 'Load a model into memory',
    load: async () => (await import('./commands/load.ts')).load,
  },
  {
    name: 'unload',
    aliases: ['stop'],
    summary: 'Unload a model from memory',
    load: async () => (await import('./commands/unload.ts')).unload,
  },
  {
    name: 'get',
    aliases: ['pull'],
    summary: 'Download a model, or search for one',
    load: async () => (await import('./commands/get.ts')).get,
  },
  {
    name: 'download',
    summary: 'Manage downloads',
    commands: commandsOf(() => import('./commands/download.ts'), {
      downloadLs: { name: 'ls', aliases: ['list'], summary: 'List downloads, newest first' },
      downloadPause: { name: 'pause', summary: 'Pause a download' },
      downloadResume: { name: 'resume', summary: 'Resume a paused download' },
      downloadCancel: { name: 'cancel', summary: 'Cancel a download and delete its files' },
    }),
  },
  {
    name: 'import',
    summary: 'Import GGUF files or a folder of models',
    load: async () => (await import('./commands/import.ts')).importCommand,
  },
  {
    name: 'rm',
    aliases: ['remove', 'delete'],
    summary: 'Delete a model, or one of its variants',
    load: async () => (await import('./commands/rm.ts')).rm,
  },
  {
    name: 'runtime',
    summary: 'Manage inference runtimes',
    commands: commandsOf(() => import('./commands/runtime.ts'), {
      runtimeLs: {
        name: 'ls',
        aliases: ['list'],
        summary: 'List installed runtimes, the active one first',
      },
      runtimeInstall: {
        name: 'install',
        summary: 'Install the runtime recommended for this version',
      },
      runtimeUse: { name: 'use', summary: 'Select the runtime for future loads' },
      runtimeRm: { name: 'rm', aliases: ['remove', 'delete'], summary: 'Remove a runtime' },
    }),
  },
  {
    name: 'token',
    summary: 'Manage API tokens',
    commands: commandsOf(() => import('./commands/token.ts'), {
      tokenCreate: { name: 'create', summary: 'Create an API token' },
      tokenLs: { name: 'ls', aliases: ['list'], summary: 'List API tokens' },
      tokenEdit: { name: 'edit', summary: 'Change an API token' },
      tokenRm: { name: 'rm', aliases: ['remove', 'delete'], summary: 'Revoke an API token' },
      tokenAdopt: { name: 'adopt', summary: 'Move stored responses to an API token' },
    }),
  },
  {
    name: 'usage',
    summary: 'Show how many requests and tokens were used',
    load: async () => (await import('./commands/usage.ts')).usage,
  },
  {
    name: 'session',
    summary: 'Manage the browsers that are signed in',
    commands: commandsOf(() => import('./session/session.ts'), {
      sessionLs: { name: 'ls', aliases: ['list'], summary: 'List the browsers that are signed in' },
      sessionRm: {
        name: 'rm',
        aliases: ['remove', 'delete', 'revoke'],
        summary: 'Sign a browser out',
      },
    }),
  },
  {
    name: 'link',
    summary: 'Use the models of another machine in your network',
    commands: commandsOf(() => import('./link/link.ts'), {
      linkOffer: { name: 'offer', summary: 'Make a code that links another machine to this one' },
      linkAdd: { name: 'add', summary: 'Link another machine, whose models are then used here' },
      linkLs: { name: 'ls', aliases: ['list'], summary: 'List the linked machines' },
      linkRm: {
        name: 'rm',
        aliases: ['remove', 'delete'],
        summary: 'End the links with a machine, in both directions',
      },
    }),
  },
  {
    name: 'store',
    summary: 'Manage the database of conversations',
    commands: commandsOf(() => import('./store/store.ts'), {
      storePrune: {
        name: 'prune',
        summary: 'Delete conversations that have not been used for a long time',
      },
      storeMigrate: {
        name: 'migrate',
        summary: 'Update the schema of the database (the server must not run)',
      },
      storeCheck: { name: 'check', summary: 'Read the whole database and report damage' },
      storeCopy: {
        name: 'copy',
        summary: 'Copy to another database, SQLite or PostgreSQL (the server must not run)',
      },
      storeVacuum: {
        name: 'vacuum',
        summary: 'Rewrite the database without unused space (the server must not run)',
      },
      storeBackup: { name: 'backup', summary: 'Copy the database to a file' },
      storeRestore: {
        name: 'restore',
        summary: 'Replace the database with a backup (the server must not run)',
      },
    }),
  },
  {
    name: 'mcp',
    summary: 'Manage MCP plugins, or be an MCP server',
    commands: [
      ...commandsOf(() => import('./commands/mcp.ts'), {
        mcpAdd: { name: 'add', summary: 'Add an MCP plugin' },
        mcpLs: { name: 'ls', aliases: ['list'], summary: 'List MCP plugins' },
        mcpRm: { name: 'rm', aliases: ['remove', 'delete'], summary: 'Remove an MCP plugin' },
      }),
      {
        name: 'serve',
        summary: 'Offer the models of the server as tools to an MCP client (stdio)',
        load: async () => (await import('./commands/mcp-serve.ts')).mcpServe,
      },
      {
        name: 'test',
        summary: 'Connect to an MCP plugin and list its tools',
        load: async () => (await import('./commands/mcp.ts')).mcpTest,
      },
    ],
  },
  {
    name: 'config',
    summary: 'Read and change settings',
    commands: commandsOf(() => import('./commands/config.ts'), {
      configLs: {
        name: 'ls',
        aliases: ['list'],
        summary: 'List settings with their values and sources',
      },
      configGet: { name: 'get', summary: 'Show the value of a setting' },
      configSet: { name: 'set', summary: 'Change a setting in config.json' },
      configUnset: { name: 'unset', aliases: ['rm'], summary: 'Remove a setting from config.json' },
      configPath: { name: 'path', summary: 'Show the path of config.json' },
    }),
  },
  {
    name: 'catalog',
    summary: 'Choose where the list of well-known models comes from',
    commands: commandsOf(() => import('./commands/catalog.ts'), {
      catalogShow: { name: 'show', summary: 'Show the source of the list' },
      catalogSet: {
        name: 'set',
        summary: 'Use a signed list from a URL, which is read once a day',
      },
      catalogRefresh: { name: 'refresh', summary: 'Read the list again' },
      catalogReset: { name: 'reset', summary: 'Use the list that ships with Hearth' },
    }),
  },
  {
    name: 'alias',
    summary: 'Manage model aliases',
    commands: commandsOf(() => import('./commands/alias.ts'), {
      aliasLs: { name: 'ls', aliases: ['list'], summary: 'List aliases' },
      aliasSet: { name: 'set', aliases: ['add'], summary: 'Add an alias, or change its model' },
      aliasRm: { name: 'rm', aliases: ['remove', 'delete'], summary: 'Remove an alias' },
    }),
  },
  {
    name: 'log',
    aliases: ['logs'],
    summary: 'Show the log of the server, with prompts and outputs if recorded',
    load: async () => (await import('./commands/log.ts')).log,
  },
  {
    name: 'doctor',
    summary: 'Check the installation and show remedies',
    load: async () => (await import('./commands/doctor.ts')).doctor,
  },
  {
    name: 'completion',
    summary: 'Print the completion script of a shell',
    load: async () => (await import('./commands/completion.ts')).completion,
  },
  {
    name: 'update',
    summary: 'Show whether a newer version is available',
    load: async () => (await import('./commands/update.ts')).update,
  },
  {
    name: 'version',
    summary: 'Show version information',
    load: async () => (await import('./commands/version.ts')).versionCommand,
  },
];

/** The commands of a group whose descriptions one module exports under these names. */
function commandsOf<Name extends string>(
  load: () => Promise<Readonly<Record<NoInfer<Name>, CommandDescription>>>,
  entries: Readonly<Record<Name, Omit<CommandEntry, 'load'>>>,
): readonly CommandEntry[] {
  return Object.entries<Omit<CommandEntry, 'load'>>(entries).map(([name, entry]) => ({
    ...entry,
    load: async () => (await load())[name as Name],
  }));
}
