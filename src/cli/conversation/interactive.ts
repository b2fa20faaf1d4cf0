import type { ChatStats } from '../../api/v1/chat/chat-schema.ts';
import type { Client } from '../client/client.ts';
import type { CommandContext } from '../command.ts';
import { describeFailure } from '../failure.ts';
import { printable } from '../../kernel/printable.ts';
import { formatStats } from './answer-view.ts';
import { createChatInput } from './chat-input.ts';
import { describeMissingAnswer, type Conversation } from './conversation.ts';
import { readImageFile, splitImagePaths } from './image-file.ts';
import { parseSlashCommand, slashHelp, type ChatDisplay } from './slash-commands.ts';
import { readUserHome } from '../../platform/files/user-home.ts';

/**
 * Reads messages from the terminal and shows the answers until the user exits. Asks before tool calls, unless they are
 * allowed.
 *
 * @throws The reason of the context's signal when aborted.
 */
export async function chatInteractively(
  context: CommandContext,
  client: Client,
  conversation: Conversation,
  display: ChatDisplay,
  allowsTools: boolean,
): Promise<void> {
  const { signal, stdin } = context;
  const { messages, output } = context.terminal;
  let lastStats: ChatStats | undefined;
  let answering: AbortController | undefined;

  const stopAnswer = (): void => answering?.abort();
  const input = createChatInput({
    stdin,
    output,
    messages,
    signal,
    onInterrupt: stopAnswer,
    onClose: stopAnswer,
  });

  const policy = allowsTools ? 'allow' : input.ask;

  /** Runs work that Ctrl-C can stop. */
  async function stoppably(run: (within: AbortSignal) => Promise<void>): Promise<void> {
    const stopping = new AbortController();
    answering = stopping;
    try {
      await run(AbortSignal.any([signal, stopping.signal]));
    } catch (error) {
      signal.throwIfAborted();
      if (stopping.signal.aborted) messages.line(messages.style.dim('(stopped)'));
      else messages.line(messages.style.red(printable(describeFailure(error) ?? '')));
    } finally {
      answering = undefined;
    }
  }

  async function answer(text: string, within: AbortSignal): Promise<void> {
    const result = await conversation.send(text, { ...display, policy }, within);
    lastStats = result.stats;
    const problem = describeMissingAnswer(result);
    if (problem !== undefined) messages.line(messages.style.dim(problem));
    if (display.showsStats) messages.line(messages.style.dim(formatStats(lastStats)));
  }

  async function runSlashCommand(
    line: string,
    { command, argument }: NonNullable<ReturnType<typeof parseSlashCommand>>,
  ): Promise<void> {
    if (command === undefined) {
      messages.line(`Unknown command ${line}.\n${slashHelp()}`);
      return;
    }
    await stoppably(async (within) => {
      const session = { context, client, conversation, display, lastStats, signal: within };
      messages.line(printable(await command.run(session, argument)));
    });
  }

  /** Attaches the images whose paths are in the message. */
  async function attachImages(message: string): Promise<string> {
    const { text, paths } = splitImagePaths(message);
    if (paths.length === 0) return message;
    try {
      const images = await Promise.all(
        paths.map(async (path) => ({
          type: 'image' as const,
          data_url: await readImageFile(path.replace(/^~(?=\/)/, () => readUserHome() ?? '~')),
        })),
      );
      conversation.attach(images);
      return text;
    } catch (error) {
      // The file may not exist, since the message may only mention it.
      messages.line(messages.style.dim(printable(describeFailure(error) ?? '')));
      return message;
    }
  }

  try {
    for (;;) {
      const message = await input.readMessage();
      if (message === undefined) break;
      if (message === '/exit' || message === '/bye') return;
      const command = parseSlashCommand(message);
      if (command === undefined) {
        const text = await attachImages(message);
        await stoppably((within) => answer(text, within));
      } else await runSlashCommand(message, command);
    }
    signal.throwIfAborted();
    output.line();
  } finally {
    input.close();
  }
}
