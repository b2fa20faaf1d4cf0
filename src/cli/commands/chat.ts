import type { InputItem } from '../../contract/v1/chat.ts';
import { answerOnce } from '../conversation/one-shot.ts';
import { checkChatModel } from '../check-model.ts';
import { createConversation } from '../conversation/conversation.ts';
import { findDefaultModel } from '../conversation/default-model.ts';
import { readImageFile } from '../conversation/image-file.ts';
import { chatInteractively } from '../conversation/interactive.ts';
import { toInput } from '../conversation/to-input.ts';
import { defineCommand } from '../command.ts';
import { connect } from '../client/connect.ts';
import type { CommandContext } from '../context.ts';
import { UsageError } from '../failure.ts';
import {
  choice,
  connectionOptions,
  decimal,
  flag,
  integer,
  jsonOption,
  optional,
  rest,
  text,
  textList,
} from '../option.ts';
import { readStandardInput } from '../standard-input.ts';
import { printable } from '../../printable.ts';

export const chat = defineCommand({
  positionals: {
    model: optional('Model key (default: the loaded model, or hearth/starter-chat)'),
    message: rest('Message, as with --prompt'),
  },
  options: {
    prompt: text('-p, --prompt <text>', 'Print one answer and exit; piped input is appended'),
    system: text('--system <text>', 'System prompt'),
    image: textList('--image <file>', 'Image to attach; can be repeated'),
    temperature: decimal('--temperature <number>', 'Sampling temperature, 0 to 1', 0, 1),
    maxTokens: integer('--max-tokens <tokens>', 'Maximum length of the answer', 1, 2 ** 31 - 1),
    reasoning: choice('--reasoning <setting>', 'Reasoning before the answer', [
      'off',
      'low',
      'medium',
      'high',
      'on',
    ]),
    store: flag('--no-store', 'Do not store the conversation on the server; requires -p'),
    hideThinking: flag('--hide-thinking', 'Hide the reasoning of the model'),
    stats: flag('--stats', 'Show token counts and speed after the answer'),
    ...jsonOption,
    ...connectionOptions,
  },
  examples: [
    'hearth chat',
    'hearth chat hearth/starter-chat "What is the capital of France?"',
    'hearth chat hearth/starter-chat -p "What is the capital of France?"',
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
    const images = await readImages(options.image ?? []);

    const client = await connect(context, options);
    const settings = {
      model: positionals.model ?? (await findDefaultModel(client, signal)),
      temperature: options.temperature,
      max_output_tokens: options.maxTokens,
      reasoning: options.reasoning,
    };
    const display = {
      showsStats: options.stats === true,
      hidesThinking: options.hideThinking === true,
    };

    if (message !== undefined) {
      const input = toInput(message, images);
      const request = { ...settings, input, system_prompt: options.system, store: isStored };
      await answerOnce(context, client, request, { isJson: options.json === true, ...display });
      return;
    }
    await checkChatModel(client, settings.model, signal);
    terminal.messages.line(`Chatting with ${printable(settings.model)}. Type /help for commands.`);
    const systemPrompt = options.system;
    const conversation = createConversation(client, terminal, { settings, systemPrompt, images });
    await chatInteractively(context, conversation, display);
  },
});

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
  const piped =
    stdin.isTTY === true ? '' : await readStandardInput(stdin, terminal.messages, signal);
  const message = [prompt, piped].filter((part) => part !== '').join('\n\n');
  if (message === '') throw new UsageError('No message. Use -p, or pipe the message in.');
  return message;
}

async function readImages(paths: readonly string[]): Promise<InputItem[]> {
  const dataUrls = await Promise.all(paths.map(readImageFile));
  return dataUrls.map((dataUrl) => ({ type: 'image', data_url: dataUrl }));
}
