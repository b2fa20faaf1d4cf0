import type { ChatStats } from '../../api/v1/chat/chat-schema.ts';
import { listResponses, getResponse } from '../../api/v1/responses/stored-response-schema.ts';
import { printable } from '../../kernel/printable.ts';
import { checkChatModel } from '../check-model.ts';
import type { Client } from '../client/client.ts';
import type { CommandContext } from '../command.ts';
import { UsageError } from '../failure.ts';
import { listPresets } from '../../api/v1/presets/preset-schema.ts';
import { readStoredPreset } from '../presets/stored-preset.ts';
import { changeSettings } from '../model/change-settings.ts';
import type { SettingsFields } from '../../api/v1/models/model-settings-schema.ts';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import { truncateText } from '../ui/table.ts';
import { formatStats } from './answer-view.ts';
import { describeSettings, parseSetting } from './chat-settings.ts';
import { fieldsOf, generationOptions } from '../model/settings-options.ts';
import type { Conversation } from './conversation.ts';
import { readImageFile } from './image-file.ts';

/** Display settings that the user can change during a conversation. */
export interface ChatDisplay {
  showsStats: boolean;
  hidesThinking: boolean;
}

/** State that a slash command may read and change. */
export interface ChatSession {
  readonly context: CommandContext;
  readonly client: Client;
  readonly conversation: Conversation;
  readonly display: ChatDisplay;
  readonly lastStats: ChatStats | undefined;
  /** Aborts when the user stops the command. */
  readonly signal: AbortSignal;
}

export interface SlashCommand {
  readonly name: string;
  readonly usage?: string;
  readonly summary: string;
  /** @returns Text to show. */
  run(session: ChatSession, argument: string): Promise<string> | string;
}

const shownResponses = 10;

/** The commands of a chat, in the order of the help. */
export const slashCommands: readonly SlashCommand[] = [
  {
    name: 'new',
    summary: 'Start a new conversation',
    run({ conversation }) {
      conversation.restart();
      return 'Started a new conversation.';
    },
  },
  { name: 'clear', summary: 'Clear the screen and start a new conversation', run: clear },
  {
    name: 'model',
    usage: 'MODEL',
    summary: 'Show or change the model',
    async run({ client, conversation, signal }, argument) {
      if (argument === '') return `Model: ${conversation.settings.model}`;
      await checkChatModel(client, argument, signal);
      conversation.change({ model: argument });
      return `Now chatting with ${argument}.`;
    },
  },
  {
    name: 'system',
    usage: 'TEXT',
    summary: 'Show or change the system prompt',
    run({ conversation }, argument) {
      if (argument === '') return conversation.settings.system_prompt ?? 'No system prompt.';
      conversation.change({ system_prompt: argument });
      return 'The system prompt was changed.';
    },
  },
  {
    name: 'set',
    usage: 'NAME VALUE',
    summary: 'Show or change a setting, such as temperature 0.5',
    run({ conversation }, argument) {
      if (argument !== '') conversation.change(parseSetting(argument));
      return (
        describeSettings(conversation.settings).join('\n') || 'All settings have their default.'
      );
    },
  },
  {
    name: 'preset',
    usage: 'NAME',
    summary: 'List the presets of the server, or use one',
    run: usePreset,
  },
  {
    name: 'save',
    summary: 'Save the settings for all requests to this model',
    async run({ client, conversation: { settings }, signal }) {
      const { model, context_length: length } = settings;
      const values = fieldsOf(generationOptions, settings);
      const change = (present: SettingsFields): SettingsFields => ({
        ...present,
        ...values,
        load: { ...present.load, ...omitUndefined({ context_length: length }) },
      });
      await changeSettings(client, model, change, signal);
      return `Saved for ${model}.`;
    },
  },
  {
    name: 'load',
    usage: 'NUMBER|ID',
    summary: 'List stored answers, or continue from one',
    run: load,
  },
  {
    name: 'image',
    usage: 'FILE',
    summary: 'Attach an image to the next message',
    async run({ conversation }, argument) {
      if (argument === '') throw new UsageError('Usage: /image FILE');
      const path = argument.replace(/^(["'])(.*)\1$/, '$2');
      conversation.attach([{ type: 'image', data_url: await readImageFile(path) }]);
      return 'The image is attached to the next message.';
    },
  },
  {
    name: 'tools',
    usage: 'NAME on|off',
    summary: 'Show the MCP servers, or turn one on or off',
    run: switchTools,
  },
  {
    name: 'stats',
    summary: 'Show statistics of the last answer',
    run: ({ lastStats }) => (lastStats === undefined ? 'No answer yet.' : formatStats(lastStats)),
  },
  {
    name: 'think',
    usage: 'on|off',
    summary: 'Show or hide the reasoning of the model',
    run({ display }, argument) {
      if (argument !== '' && argument !== 'on' && argument !== 'off') {
        throw new UsageError('Usage: /think on|off');
      }
      if (argument !== '') display.hidesThinking = argument === 'off';
      const state = display.hidesThinking ? 'hidden' : 'shown';
      return argument === '' ? `Reasoning is ${state}. /think on|off` : `Reasoning is ${state}.`;
    },
  },
  { name: 'help', summary: 'Show this help', run: () => slashHelp() },
];

/** The text of `/help`. */
export function slashHelp(): string {
  const lines = slashCommands.map(({ name, usage, summary }) => {
    const call = usage === undefined ? `/${name}` : `/${name} ${usage}`;
    return `${call.padEnd(19)}${summary}`;
  });
  return [
    ...lines,
    '/exit              Exit (or press Ctrl-D)',
    '"""                Begin and end a message of several lines',
    'Ctrl-C             Stop the answer; twice at an empty prompt: exit',
  ].join('\n');
}

/** Parses `/name argument`; undefined if the line is a message, such as one that begins with a path. */
export function parseSlashCommand(
  line: string,
): { readonly command: SlashCommand | undefined; readonly argument: string } | undefined {
  const match = /^\/(\w+)(?:\s+([\s\S]*))?$/.exec(line);
  if (match === null) return undefined;
  const [, name = '', argument = ''] = match;
  const command = slashCommands.find((each) => each.name === name);
  // A sentence may begin with a slash, but a single word is probably a mistyped command.
  if (command === undefined && argument !== '') return undefined;
  return { command, argument: argument.trim() };
}

function clear({ conversation, context }: ChatSession): string {
  conversation.restart();
  const { output } = context.terminal;
  // Erases the screen and its scrollback, and moves to the top (ECMA-48).
  if (output.isInteractive) output.write('\u001b[2J\u001b[3J\u001b[H');
  return 'Started a new conversation.';
}

async function usePreset(
  { client, conversation, signal }: ChatSession,
  name: string,
): Promise<string> {
  if (name === '') {
    const { presets } = await client.call(listPresets, {}, signal);
    if (presets.length === 0) return 'No presets. `hearth presets set` adds one.';
    return presets.map((preset) => printable(preset.name)).join('\n');
  }
  const preset = await readStoredPreset(client, name, signal);
  if (preset.model !== undefined) await checkChatModel(client, preset.model, signal);
  conversation.change(preset);
  return describeSettings(conversation.settings).join('\n') || 'The preset is used.';
}

async function load(
  { client, conversation, context, signal }: ChatSession,
  argument: string,
): Promise<string> {
  if (argument.startsWith('resp_')) {
    const { response_id: id } = await client.call(
      getResponse,
      { params: { response_id: argument } },
      signal,
    );
    conversation.continueFrom(id);
    return 'The conversation continues from there.';
  }
  const query = { limit: shownResponses };
  const { responses } = await client.call(listResponses, { query }, signal);
  if (argument === '') {
    if (responses.length === 0) return 'No answers are stored.';
    const width = Math.min(context.terminal.messages.columns, 100) - 1;
    return responses
      .map(({ input, created_at: time }, index) => {
        const [text] = input.flatMap((item) => (item.type === 'text' ? [item.content] : []));
        const day = `${time.slice(0, 10)} ${time.slice(11, 16)}`;
        const shown = printable(text ?? '').replaceAll(/\s+/g, ' ');
        return truncateText(`${String(index + 1).padStart(2)}  ${day}  ${shown}`, width);
      })
      .join('\n');
  }
  const chosen = responses[Number(argument) - 1];
  if (chosen === undefined) throw new UsageError('Usage: /load NUMBER of the list, or an id.');
  conversation.continueFrom(chosen.response_id);
  return 'The conversation continues from there.';
}

function switchTools({ conversation }: ChatSession, argument: string): string {
  const { integrations } = conversation.settings;
  const used = (integrations ?? []).filter((each) => typeof each === 'string');
  if (argument === '') {
    return used.length === 0 ? 'No MCP servers are used. /tools NAME on' : used.join('\n');
  }
  const [label = '', state] = argument.split(/\s+/);
  const id = `mcp/${label.replace(/^mcp\//, '')}`;
  if (state !== 'on' && state !== 'off') throw new UsageError('Usage: /tools NAME on|off');
  const others = used.filter((each) => each !== id);
  conversation.change({ integrations: state === 'on' ? [...others, id] : others });
  return state === 'on' ? `Tools of ${id} are used.` : `Tools of ${id} are not used.`;
}
