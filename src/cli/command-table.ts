import type { CommandDescription } from './command.ts';

export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  /** Imports the command when it is the one asked for, so that the others cost nothing. */
  readonly load: () => Promise<CommandDescription>;
}

export interface CommandGroup {
  readonly name: string;
  readonly summary: string;
  readonly commands: readonly CommandEntry[];
}

/** Every command, in the order of the help. */
export const commandTable: readonly (CommandEntry | CommandGroup)[] = [
  {
    name: 'serve',
    summary: 'Run the server in this terminal',
    load: async () => (await import('./commands/serve.ts')).serve,
  },
  {
    name: 'server',
    summary: 'Run the server in the background',
    commands: [
      {
        name: 'start',
        summary: 'Start the server in the background and wait until it is ready',
        load: async () => (await import('./commands/server-start.ts')).serverStart,
      },
      {
        name: 'stop',
        summary: 'Stop the server of this home folder',
        load: async () => (await import('./commands/server-stop.ts')).serverStop,
      },
      {
        name: 'status',
        summary: 'Tell whether the server runs: exit code 0 if it does, 1 if not',
        load: async () => (await import('./commands/server-status.ts')).serverStatus,
      },
    ],
  },
  {
    name: 'status',
    summary: 'Show the server, its runtime, memory and loaded models',
    load: async () => (await import('./commands/status.ts')).status,
  },
  {
    name: 'chat',
    summary: 'Talk to a model',
    load: async () => (await import('./commands/chat.ts')).chat,
  },
  {
    name: 'script',
    summary: 'Make a script for a speech synthesizer out of text; needs no server',
    load: async () => (await import('./commands/script.ts')).script,
  },
  {
    name: 'ls',
    summary: 'List the models on disk',
    load: async () => (await import('./commands/ls.ts')).ls,
  },
  {
    name: 'ps',
    summary: 'List the loaded models',
    load: async () => (await import('./commands/ps.ts')).ps,
  },
  {
    name: 'load',
    summary: 'Load a model into memory',
    load: async () => (await import('./commands/load.ts')).load,
  },
  {
    name: 'unload',
    summary: 'Unload a model from memory',
    load: async () => (await import('./commands/unload.ts')).unload,
  },
  {
    name: 'get',
    summary: 'Download a model, or find one to download',
    load: async () => (await import('./commands/get.ts')).get,
  },
  {
    name: 'download',
    summary: 'Manage the downloads of the server',
    commands: [
      {
        name: 'ls',
        summary: 'List the downloads, the newest first',
        load: async () => (await import('./commands/download-ls.ts')).downloadLs,
      },
      {
        name: 'pause',
        summary: 'Pause a download',
        load: async () => (await import('./commands/download-pause.ts')).downloadPause,
      },
      {
        name: 'resume',
        summary: 'Resume a paused download',
        load: async () => (await import('./commands/download-resume.ts')).downloadResume,
      },
      {
        name: 'cancel',
        summary: 'End a download and remove what it has on disk',
        load: async () => (await import('./commands/download-cancel.ts')).downloadCancel,
      },
    ],
  },
  {
    name: 'import',
    summary: 'Copy GGUF files, or a folder of models, into the models folder',
    load: async () => (await import('./commands/import.ts')).importCommand,
  },
  {
    name: 'rm',
    summary: 'Delete a model, or one variant of it, from the disk',
    load: async () => (await import('./commands/rm.ts')).rm,
  },
  {
    name: 'runtime',
    summary: 'Manage the engine that runs the models',
    commands: [
      {
        name: 'ls',
        summary: 'List the runtimes, the one in use first',
        load: async () => (await import('./commands/runtime-ls.ts')).runtimeLs,
      },
      {
        name: 'install',
        summary: 'Install the runtime that this version was made for',
        load: async () => (await import('./commands/runtime-install.ts')).runtimeInstall,
      },
      {
        name: 'rm',
        summary: 'Remove an installed runtime',
        load: async () => (await import('./commands/runtime-rm.ts')).runtimeRm,
      },
    ],
  },
  {
    name: 'token',
    summary: 'Manage the tokens that clients send',
    commands: [
      {
        name: 'create',
        summary: 'Make a token; it is shown once',
        load: async () => (await import('./commands/token-create.ts')).tokenCreate,
      },
      {
        name: 'ls',
        summary: 'List the tokens',
        load: async () => (await import('./commands/token-ls.ts')).tokenLs,
      },
      {
        name: 'rm',
        summary: 'Revoke a token',
        load: async () => (await import('./commands/token-rm.ts')).tokenRm,
      },
    ],
  },
  {
    name: 'mcp',
    summary: 'Manage the plugins whose tools models may use',
    commands: [
      {
        name: 'add',
        summary: 'Add a plugin to mcp.json',
        load: async () => (await import('./commands/mcp-add.ts')).mcpAdd,
      },
      {
        name: 'ls',
        summary: 'List the plugins of mcp.json',
        load: async () => (await import('./commands/mcp-ls.ts')).mcpLs,
      },
      {
        name: 'rm',
        summary: 'Remove a plugin from mcp.json',
        load: async () => (await import('./commands/mcp-rm.ts')).mcpRm,
      },
      {
        name: 'test',
        summary: 'Connect to a plugin and list its tools',
        load: async () => (await import('./commands/mcp-test.ts')).mcpTest,
      },
    ],
  },
  {
    name: 'version',
    summary: 'Show the version',
    load: async () => (await import('./commands/version.ts')).versionCommand,
  },
];
