import type { CommandEntry, CommandGroup } from './command.ts';
import { link } from './link/link-group.ts';
import { model } from './model/model-group.ts';
import { presets } from './presets/preset-group.ts';
import { ls, ps, status } from './quick-commands.ts';
import { session } from './session/session-group.ts';
import { store } from './store/store-group.ts';

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
    commands: [
      {
        name: 'start',
        summary: 'Start the server in the background',
        load: async () => (await import('./commands/server.ts')).serverStart,
      },
      {
        name: 'stop',
        summary: 'Stop the background server',
        load: async () => (await import('./commands/server.ts')).serverStop,
      },
      {
        name: 'status',
        summary: 'Show whether the server is running (exit code 0) or not (1)',
        load: async () => (await import('./commands/server.ts')).serverStatus,
      },
    ],
  },
  {
    name: 'service',
    summary: 'Manage the service that starts Hearth at boot',
    commands: [
      {
        name: 'install',
        summary: 'Install and start the service',
        load: async () => (await import('./commands/service.ts')).serviceInstall,
      },
      {
        name: 'uninstall',
        summary: 'Stop and remove the service; its data stays',
        load: async () => (await import('./commands/service.ts')).serviceUninstall,
      },
      {
        name: 'status',
        summary: 'Show whether the service is running (exit code 0) or not (1)',
        load: async () => (await import('./commands/service.ts')).serviceStatus,
      },
      {
        name: 'logs',
        summary: 'Show the log of the service',
        load: async () => (await import('./commands/service.ts')).serviceLogs,
      },
      {
        name: 'restart',
        summary: 'Restart the service',
        load: async () => (await import('./commands/service.ts')).serviceRestart,
      },
    ],
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
  model,
  presets,
  {
    name: 'conversations',
    summary: 'Manage stored conversations',
    commands: [
      {
        name: 'import',
        summary: 'Import the conversations of ChatGPT, Claude, Open WebUI or LM Studio',
        load: async () => (await import('./commands/conversations.ts')).conversationsImport,
      },
    ],
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
    commands: [
      {
        name: 'ls',
        aliases: ['list'],
        summary: 'List downloads, newest first',
        load: async () => (await import('./commands/download.ts')).downloadLs,
      },
      {
        name: 'pause',
        summary: 'Pause a download',
        load: async () => (await import('./commands/download.ts')).downloadPause,
      },
      {
        name: 'resume',
        summary: 'Resume a paused download',
        load: async () => (await import('./commands/download.ts')).downloadResume,
      },
      {
        name: 'cancel',
        summary: 'Cancel a download and delete its files',
        load: async () => (await import('./commands/download.ts')).downloadCancel,
      },
    ],
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
    commands: [
      {
        name: 'ls',
        aliases: ['list'],
        summary: 'List installed runtimes, the active one first',
        load: async () => (await import('./commands/runtime.ts')).runtimeLs,
      },
      {
        name: 'install',
        summary: 'Install the runtime recommended for this version',
        load: async () => (await import('./commands/runtime.ts')).runtimeInstall,
      },
      {
        name: 'use',
        summary: 'Select the runtime for future loads',
        load: async () => (await import('./commands/runtime.ts')).runtimeUse,
      },
      {
        name: 'rm',
        aliases: ['remove', 'delete'],
        summary: 'Remove a runtime',
        load: async () => (await import('./commands/runtime.ts')).runtimeRm,
      },
    ],
  },
  {
    name: 'token',
    summary: 'Manage API tokens',
    commands: [
      {
        name: 'create',
        summary: 'Create an API token',
        load: async () => (await import('./commands/token.ts')).tokenCreate,
      },
      {
        name: 'ls',
        aliases: ['list'],
        summary: 'List API tokens',
        load: async () => (await import('./commands/token.ts')).tokenLs,
      },
      {
        name: 'edit',
        summary: 'Change an API token',
        load: async () => (await import('./commands/token.ts')).tokenEdit,
      },
      {
        name: 'rm',
        aliases: ['remove', 'delete'],
        summary: 'Revoke an API token',
        load: async () => (await import('./commands/token.ts')).tokenRm,
      },
      {
        name: 'adopt',
        summary: 'Move stored responses to an API token',
        load: async () => (await import('./commands/token.ts')).tokenAdopt,
      },
    ],
  },
  {
    name: 'usage',
    summary: 'Show how many requests and tokens were used',
    load: async () => (await import('./commands/usage.ts')).usage,
  },
  session,
  link,
  store,
  {
    name: 'mcp',
    summary: 'Manage MCP plugins, or be an MCP server',
    commands: [
      {
        name: 'add',
        summary: 'Add an MCP plugin',
        load: async () => (await import('./commands/mcp.ts')).mcpAdd,
      },
      {
        name: 'ls',
        aliases: ['list'],
        summary: 'List MCP plugins',
        load: async () => (await import('./commands/mcp.ts')).mcpLs,
      },
      {
        name: 'rm',
        aliases: ['remove', 'delete'],
        summary: 'Remove an MCP plugin',
        load: async () => (await import('./commands/mcp.ts')).mcpRm,
      },
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
    commands: [
      {
        name: 'ls',
        aliases: ['list'],
        summary: 'List settings with their values and sources',
        load: async () => (await import('./commands/config.ts')).configLs,
      },
      {
        name: 'get',
        summary: 'Show the value of a setting',
        load: async () => (await import('./commands/config.ts')).configGet,
      },
      {
        name: 'set',
        summary: 'Change a setting in config.json',
        load: async () => (await import('./commands/config.ts')).configSet,
      },
      {
        name: 'unset',
        aliases: ['rm'],
        summary: 'Remove a setting from config.json',
        load: async () => (await import('./commands/config.ts')).configUnset,
      },
      {
        name: 'path',
        summary: 'Show the path of config.json',
        load: async () => (await import('./commands/config.ts')).configPath,
      },
    ],
  },
  {
    name: 'catalog',
    summary: 'Choose where the list of well-known models comes from',
    commands: [
      {
        name: 'show',
        summary: 'Show the source of the list',
        load: async () => (await import('./commands/catalog.ts')).catalogShow,
      },
      {
        name: 'set',
        summary: 'Use a signed list from a URL, which is read once a day',
        load: async () => (await import('./commands/catalog.ts')).catalogSet,
      },
      {
        name: 'refresh',
        summary: 'Read the list again',
        load: async () => (await import('./commands/catalog.ts')).catalogRefresh,
      },
      {
        name: 'reset',
        summary: 'Use the list that ships with Hearth',
        load: async () => (await import('./commands/catalog.ts')).catalogReset,
      },
    ],
  },
  {
    name: 'alias',
    summary: 'Manage model aliases',
    commands: [
      {
        name: 'ls',
        aliases: ['list'],
        summary: 'List aliases',
        load: async () => (await import('./commands/alias.ts')).aliasLs,
      },
      {
        name: 'set',
        aliases: ['add'],
        summary: 'Add an alias, or change its model',
        load: async () => (await import('./commands/alias.ts')).aliasSet,
      },
      {
        name: 'rm',
        aliases: ['remove', 'delete'],
        summary: 'Remove an alias',
        load: async () => (await import('./commands/alias.ts')).aliasRm,
      },
    ],
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
