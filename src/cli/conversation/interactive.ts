import { createInterface } from 'node:readline';
import type { ChatStats } from '../../contract/v1/chat.ts';
import type { CommandContext } from '../context.ts';
import { describeFailure } from '../failure.ts';
import { printable } from '../ui/printable.ts';
import { formatStats } from './answer-view.ts';
import type { Conversation } from './conversation.ts';
import { describeMissingAnswer } from './describe-missing-answer.ts';

const help = `/new    Start a new conversation
/stats  Show statistics of the last answer
/help   Show this help
/exit   Exit (or press Ctrl-D)
Ctrl-C  Stop the answer; twice at an empty prompt: exit`;

/**
 * Reads messages from the terminal and shows the answers until the user exits.
 *
 * @throws the reason of the context's signal when aborted.
 */
export async function chatInteractively(
  context: CommandContext,
  conversation: Conversation,
  showsStats: boolean,
): Promise<void> {
  const { signal } = context;
  const { messages, output } = context.terminal;
  let lastStats: ChatStats | undefined;
  let answering: AbortController | undefined;
  let isExiting = false;
  let isClosed = false;

  const lines = createInterface({
    input: context.stdin,
    output: output.raw,
    terminal: true,
    prompt: '> ',
    historySize: 1000,
    signal,
  });
  lines.on('close', () => {
    isClosed = true;
    answering?.abort();
  });
  lines.on('SIGINT', () => {
    if (answering !== undefined) {
      answering.abort();
    } else if (lines.line !== '') {
      lines.write(null, { ctrl: true, name: 'e' });
      lines.write(null, { ctrl: true, name: 'u' });
    } else if (isExiting) {
      lines.close();
    } else {
      isExiting = true;
      messages.write('\nPress Ctrl-C again to exit.\n');
      lines.prompt();
    }
  });

  async function answer(text: string): Promise<void> {
    const stopping = new AbortController();
    answering = stopping;
    try {
      const result = await conversation.send(text, AbortSignal.any([signal, stopping.signal]));
      lastStats = result.stats;
      const problem = describeMissingAnswer(result);
      if (problem !== undefined) messages.line(messages.style.dim(problem));
      if (showsStats) messages.line(messages.style.dim(formatStats(lastStats)));
    } catch (error) {
      signal.throwIfAborted();
      if (stopping.signal.aborted) messages.line(messages.style.dim('(stopped)'));
      else messages.line(messages.style.red(printable(describeFailure(error) ?? '')));
    } finally {
      answering = undefined;
    }
  }

  function runSlashCommand(line: string): void {
    switch (line) {
      case '/new':
        conversation.restart();
        messages.line('Started a new conversation.');
        break;
      case '/stats':
        messages.line(lastStats === undefined ? 'No answer yet.' : formatStats(lastStats));
        break;
      case '/help':
        messages.line(help);
        break;
      default:
        messages.line(`Unknown command ${line}.\n${help}`);
    }
  }

  try {
    lines.prompt();
    for await (const typed of lines) {
      isExiting = false;
      const line = typed.trim();
      if (line === '/exit') return;
      if (/^\/\w+$/.test(line)) runSlashCommand(line);
      else if (line !== '') await answer(line);
      if (isClosed) break;
      lines.prompt();
    }
    signal.throwIfAborted();
    output.line();
  } finally {
    lines.close();
  }
}
