import type { InputItem } from '../../api/v1/chat/chat-schema.ts';
import { answerOnce, answerFormatted, readFormat } from '../conversation/one-shot.ts';
import { checkChatModel } from '../check-model.ts';
import { connectOrStart } from '../background/start-in-background.ts';
import { getModel, loadModel } from '../../api/v1/models/model-schema.ts';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import {
  chooseChatModel,
  findDefaultModel,
  downloadModel,
  offerCatalogModel,
} from '../conversation/choose-chat-model.ts';
import { createConversation, toInput, type ChatSettings } from '../conversation/conversation.ts';
import { readStoredPreset } from '../presets/stored-preset.ts';
import { readDocumentFile } from '../conversation/document-file.ts';
import { readImageFile } from '../conversation/image-file.ts';
import { chatInteractively } from '../conversation/interactive.ts';
import { defineCommand, type CommandContext } from '../command.ts';
import type { Client } from '../client/client.ts';
import type { ConnectionOptions } from '../client/connect.ts';
import { UsageError } from '../failure.ts';
import {
  adapterOption,
  clientOptions,
  decimal,
  flag,
  integer,
  optional,
  rest,
  text,
  textList,
  toAdapters,
} from '../option.ts';
import { generationOptions } from '../model/settings-options.ts';
import { readStandardInput } from '../standard-input.ts';
import { getModelSettings } from '../../api/v1/models/model-settings-schema.ts';
import { ApiError } from '../client/client-error.ts';
import { printable } from '../../kernel/printable.ts';
import type { ToolPolicy } from '../conversation/tool-approvals.ts';
import { askForLine, confirm } from '../ui/ask.ts';

/** Limits a runaway answer in a script. In a chat, the user can stop it. */
const oneShotTokens = 4096;

export const chat = defineCommand({
  positionals: {
    model: optional('Model key (default: the loaded model, or hearth/starter-chat)'),
    message: rest('Message, as with --prompt'),
  },
  options: {
    prompt: text(
      '-p, --prompt <text>',
      'Print one answer and exit; piped input is appended (- sends it alone)',
    ),
    preset: text('--preset <name>', 'Preset of the server to use; other options win over it'),
    system: generationOptions.system_prompt,
    image: textList('--image <file>', 'Image to attach; can be repeated'),
    file: textList('--file <file>', 'Document or text file to attach; can be repeated'),
    temperature: decimal('--temperature <number>', 'Sampling temperature, 0 to 1', 0, 1),
    maxTokens: integer(
      '--max-tokens <tokens>',
      `Maximum length of the answer (default with -p: ${oneShotTokens})`,
      1,
      2 ** 31 - 1,
    ),
    ttl: integer('--ttl <seconds>', 'Unload the model after this idle time', 1, 365 * 24 * 3600),
    format: text(
      '--format <json|file>',
      'Answer as JSON, or according to the JSON schema in a file; requires -p',
    ),
    ...adapterOption,
    mcp: textList('--mcp <label>', 'MCP server of mcp.json to use; can be repeated'),
    allowTools: flag('--allow-tools', 'Make all tool calls without asking'),
    reasoning: generationOptions.reasoning,
    store: flag('--no-store', 'Do not store the conversation on the server; requires -p'),
    hideThinking: flag('--hide-thinking', 'Hide the reasoning of the model'),
    stats: flag('--stats', 'Show token counts and speed after the answer'),
    ...clientOptions,
  },
  examples: [
    'hearth chat',
    'hearth chat --preset poet',
    'hearth chat hearth/starter-chat "What is the capital of France?"',
    'hearth chat hearth/starter-chat -p "What is the capital of France?"',
    'hearth chat -p "What does it cost?" --file prices.xlsx',
    'cat notes.txt | hearth chat -p "Summarize:"',
  ],
  async run({ context, options, positionals }) {
    const { terminal, signal } = context;
    const isStored = options.store !== false;
    const prompt = readPrompt(options.prompt, positionals.message);
    const isInteractive = prompt === undefined && context.stdin.isTTY === true;
    if (isInteractive && !terminal.output.isInteractive) {
      throw new UsageError('Interactive chat needs a terminal. To send one message, use -p.');
    }
    if (isInteractive && (options.json === true || !isStored)) {
      throw new UsageError('--json and --no-store require -p.');
    }
    const message = isInteractive ? undefined : await readMessage(context, prompt);
    if (isInteractive && options.format !== undefined) {
      throw new UsageError('--format requires -p.');
    }
    if (options.format !== undefined && (options.mcp?.length ?? 0) > 0) {
      throw new UsageError('Use either --format or --mcp, not both.');
    }
    const format = options.format === undefined ? undefined : await readFormat(options.format);
    const images = await readImages(options.image ?? []);

    const client = await connectOrStart(context, options, () => askToStart(context, isInteractive));
    const files: InputItem[] = [];
    for (const path of options.file ?? []) files.push(await readDocumentFile(client, path, signal));
    const attached = [...images, ...files];
    const preset =
      options.preset === undefined ? {} : await readStoredPreset(client, options.preset, signal);
    const model = await chooseModel(context, client, options, {
      named: positionals.model ?? preset.model,
      isInteractive,
    });
    if (model === undefined) return;
    const fromOptions = omitUndefined({
      temperature: options.temperature,
      max_output_tokens: options.maxTokens,
      reasoning: options.reasoning,
      system_prompt: options.system,
      adapters: options.adapter && toAdapters(options.adapter),
      integrations: options.mcp?.map((label) => `mcp/${label.replace(/^mcp\//, '')}`),
    });
    const settings: ChatSettings = { ...preset, ...fromOptions, model };
    if (options.ttl !== undefined) await loadFor(client, model, options.ttl, signal);
    const display = {
      showsStats: options.stats === true,
      hidesThinking: options.hideThinking === true,
    };

    if (message !== undefined) {
      const limit =
        settings.max_output_tokens === undefined ? await limitFor(client, model, signal) : {};
      const limited = { ...limit, ...settings };
      if (format !== undefined) {
        await answerFormatted(context, client, limited, { text: message, attached }, format);
        return;
      }
      const request = { ...limited, input: toInput(message, attached), store: isStored };
      const policy = policyOf(context, options.allowTools === true);
      const show = { isJson: options.json === true, ...display, policy };
      await answerOnce(context, client, request, show);
      return;
    }
    await checkChatModel(client, model, signal);
    terminal.messages.line(`Chatting with ${printable(settings.model)}. Type /help for commands.`);
    const conversation = createConversation(client, terminal, { settings, attached });
    await chatInteractively(context, client, conversation, display, options.allowTools === true);
  },
});

/** The default token limit, unless the settings of the model have one. */
async function limitFor(
  client: Client,
  model: string,
  signal: AbortSignal,
): Promise<{ readonly max_output_tokens?: number }> {
  try {
    const record = await client.call(getModelSettings, { params: { model } }, signal);
    if (record.max_output_tokens != null) return {};
    if (record.base != null) return await limitFor(client, record.base, signal);
  } catch (error) {
    // A token may allow chats but not reading models. If the model is missing, the chat reports it.
    if (!(error instanceof ApiError)) throw error;
  }
  return { max_output_tokens: oneShotTokens };
}

/** Tool calls that need an approval are refused in a script; at a terminal, the user is asked. */
function policyOf({ stdin, terminal }: CommandContext, allowsTools: boolean): ToolPolicy {
  if (allowsTools) return 'allow';
  const { messages } = terminal;
  if (stdin.isTTY !== true || !messages.isInteractive) return 'refuse';
  return (question, signal) => askForLine(question, stdin, messages, signal);
}

/** Asks before starting the server; in a script, the command fails instead. */
async function askToStart(context: CommandContext, isInteractive: boolean): Promise<boolean> {
  const { stdin, terminal, signal } = context;
  if (!isInteractive) return false;
  const question = 'Hearth is not running. Start it in the background?';
  return confirm(question, stdin, terminal.messages, signal);
}

/** The named model, or the one that the user chooses, downloaded if necessary; undefined if the user chooses none. */
async function chooseModel(
  context: CommandContext,
  client: Client,
  options: ConnectionOptions,
  { named, isInteractive }: { readonly named: string | undefined; readonly isInteractive: boolean },
): Promise<string | undefined> {
  if (named !== undefined) return offerCatalogModel(context, client, named, options);
  if (!isInteractive) return findDefaultModel(client, context.signal);
  const chosen = await chooseChatModel(context, client);
  if (chosen?.kind !== 'download') return chosen?.model;
  return downloadModel(context, client, chosen.model, options);
}

/** Loads the model if it is not loaded, with the requested idle time. */
async function loadFor(
  client: Client,
  model: string,
  ttl: number,
  signal: AbortSignal,
): Promise<void> {
  const { loaded_instances: instances } = await client.call(
    getModel,
    { params: { model } },
    signal,
  );
  if (instances.length === 0) await client.call(loadModel, { body: { model, ttl } }, signal);
}

/** The message of --prompt, or of the arguments after the model. */
function readPrompt(option: string | undefined, words: readonly string[]): string | undefined {
  if (words.length === 0) return option;
  if (option === undefined) return words.join(' ');
  throw new UsageError('Use either --prompt or a message after the model, not both.');
}

/** The prompt, followed by the piped input. */
async function readMessage(
  { stdin, terminal, signal }: CommandContext,
  prompt = '',
): Promise<string> {
  const isOnlyInput = prompt === '-';
  const piped =
    stdin.isTTY === true && !isOnlyInput
      ? ''
      : await readStandardInput(stdin, terminal.messages, signal);
  const message = [isOnlyInput ? '' : prompt, piped].filter((part) => part !== '').join('\n\n');
  if (message === '') throw new UsageError('No message. Use -p, or pipe the message in.');
  return message;
}

async function readImages(paths: readonly string[]): Promise<InputItem[]> {
  const dataUrls = await Promise.all(paths.map(readImageFile));
  return dataUrls.map((dataUrl) => ({ type: 'image', data_url: dataUrl }));
}
