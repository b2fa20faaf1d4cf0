import type { ChatStats } from '../../contract/v1/chat.ts';
import type { CommandContext } from '../context.ts';
import { describeFailure } from '../failure.ts';
import { printable } from '../../printable.ts';
import { formatStats } from './answer-view.ts';
import { createChatInput } from './chat-input.ts';
import type { Conversation } from './conversation.ts';
import { describeMissingAnswer } from './describe-missing-answer.ts';

const help = `/new           Start a new conversation
/stats         Show statistics of the last answer
/think on|off  Show or hide the reasoning of the model
/help          Show this help
/exit          Exit (or press Ctrl-D)
"""            Begin and end a message of several lines
Ctrl-C         Stop the answer; twice at an empty prompt: exit`;

/** Display settings that the user can change during a conversation. */
export interface ChatDisplay {
  showsStats: boolean;
  hidesThinking: boolean;
}

/**
 * Reads messages from the terminal and shows the answers until the user exits.
 *
 * @throws the reason of the context's signal when aborted.
 */
export async function chatInteractively(
  context: CommandContext,
  conversation: Conversation,
  display: ChatDisplay,
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

  async function answer(text: string): Promise<void> {
    const stopping = new AbortController();
    answering = stopping;
    try {
      const within = AbortSignal.any([signal, stopping.signal]);
      const result = await conversation.send(text, display, within);
      lastStats = result.stats;
      const problem = describeMissingAnswer(result);
      if (problem !== undefined) messages.line(messages.style.dim(problem));
      if (display.showsStats) messages.line(messages.style.dim(formatStats(lastStats)));
    } catch (error) {
      signal.throwIfAborted();
      if (stopping.signal.aborted) messages.line(messages.style.dim('(stopped)'));
      else messages.line(messages.style.red(printable(describeFailure(error) ?? '')));
    } finally {
      answering = undefined;
    }
  }

  function runSlashCommand(line: string): void {
    switch (line.replace(/\s+/, ' ')) {
      case '/new':
        conversation.restart();
        messages.line('Started a new conversation.');
        break;
      case '/stats':
        messages.line(lastStats === undefined ? 'No answer yet.' : formatStats(lastStats));
        break;
      case '/think on':
        display.hidesThinking = false;
        messages.line('Reasoning is shown.');
        break;
      case '/think off':
        display.hidesThinking = true;
        messages.line('Reasoning is hidden.');
        break;
      case '/think':
        messages.line(`Reasoning is ${display.hidesThinking ? 'hidden' : 'shown'}. /think on|off`);
        break;
      case '/help':
        messages.line(help);
        break;
      default:
        messages.line(`Unknown command ${line}.\n${help}`);
    }
  }

  try {
    for (;;) {
      const message = await input.readMessage();
      if (message === undefined) break;
      if (message === '/exit' || message === '/bye') return;
      if (/^\/(?:\w+|think\s+\S+)$/.test(message)) runSlashCommand(message);
      else await answer(message);
    }
    signal.throwIfAborted();
    output.line();
  } finally {
    input.close();
  }
}
