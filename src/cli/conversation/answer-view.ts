import type { ChatStats } from '../../api/v1/chat/chat-schema.ts';
import type { ChatEvent } from '../../api/v1/chat/chat-event-schema.ts';
import { formatCount, formatDuration } from '../../kernel/format.ts';
import { printable } from '../../kernel/printable.ts';
import { createProgress, type Progress } from '../ui/progress.ts';
import type { Terminal, TerminalStream } from '../ui/terminal.ts';
import { createWordWrap } from '../ui/word-wrap.ts';

export interface AnswerView {
  show(event: ChatEvent): void;
  /** Completes the current line and removes the progress bar. */
  end(): void;
}

interface AnswerViewOptions {
  /** Shows only how long the model reasons, not the reasoning itself. */
  readonly hidesThinking: boolean;
}

/**
 * Shows an answer as it streams: its text on the output, everything else on the messages. The text is unchanged unless
 * the output is a terminal. Reasoning is shown only if both are terminals, between lines that mark it.
 */
export function createAnswerView(
  { output, messages }: Terminal,
  { hidesThinking }: AnswerViewOptions = { hidesThinking: false },
): AnswerView {
  const showsThinking = output.isInteractive && messages.isInteractive;
  const { dim } = messages.style;
  let loading: Progress | undefined;
  let openLine: TerminalStream | undefined;
  let thinkingStart: number | undefined;
  let writeMessage = createTextWriter(output, (text) => text);
  let writeThinking = createTextWriter(messages, dim);

  const trackLine = (stream: TerminalStream, text: string): void => {
    if (text !== '') openLine = text.endsWith('\n') ? undefined : stream;
  };
  const endLine = (): void => {
    openLine?.line();
    openLine = undefined;
    writeMessage = createTextWriter(output, (text) => text);
    writeThinking = createTextWriter(messages, dim);
  };
  const endLoading = (): void => {
    loading?.stop();
    loading = undefined;
  };
  const startThinking = (): void => {
    thinkingStart = performance.now();
    messages.write(dim(hidesThinking ? 'Thinking...' : 'Thinking...\n'));
    if (hidesThinking) openLine = messages;
  };
  const endThinking = (): void => {
    if (thinkingStart === undefined) return;
    const seconds = (performance.now() - thinkingStart) / 1000;
    thinkingStart = undefined;
    if (hidesThinking) {
      openLine = undefined;
      messages.line(`\r\u001b[K${dim(`Thought for ${formatDuration(seconds)}.`)}`);
    } else {
      endLine();
      messages.line(dim('...done thinking.'));
    }
    messages.line();
  };

  return {
    show(event) {
      switch (event.type) {
        case 'model_load.start':
          loading = createProgress(messages, `Loading ${printable(event.model_instance_id)}`);
          break;
        case 'model_load.progress':
          loading?.update(event.progress);
          break;
        case 'model_load.end':
          endLoading();
          break;
        case 'reasoning.start':
          if (showsThinking) startThinking();
          break;
        case 'reasoning.delta':
          if (!showsThinking || hidesThinking) break;
          if (thinkingStart === undefined) startThinking();
          writeThinking(event.content);
          trackLine(messages, event.content);
          break;
        case 'reasoning.end':
          endThinking();
          break;
        case 'message.delta':
          writeMessage(event.content);
          trackLine(output, event.content);
          break;
        case 'message.end':
          endLine();
          break;
        case 'tool_call.arguments':
          messages.line(dim(`Calling ${printable(event.tool)}`));
          break;
        case 'tool_call.failure':
          messages.line(dim(`Tool call failed: ${printable(event.reason)}`));
          break;
        default:
      }
    },
    end() {
      endLoading();
      thinkingStart = undefined;
      endLine();
    },
  };
}

/** Writes streamed text: to a terminal wrapped and without control characters, otherwise unchanged. */
function createTextWriter(
  stream: TerminalStream,
  style: (text: string) => string,
): (text: string) => void {
  if (!stream.isInteractive) return (text) => stream.write(text);
  const wrap = createWordWrap(
    (text) => stream.write(style(text)),
    () => stream.columns,
  );
  return (text) => wrap(printable(text));
}

/** `17 input tokens, 25 output tokens at 812 tokens/s, first token after 23 ms`. */
export function formatStats(stats: ChatStats): string {
  const { tokens_per_second: speed, model_load_time_seconds: load } = stats;
  return [
    `${formatCount(stats.input_tokens)} input tokens`,
    `${formatCount(stats.total_output_tokens)} output tokens at ${formatCount(Math.round(speed))} tokens/s`,
    `first token after ${formatDuration(stats.time_to_first_token_seconds)}`,
    ...(load === undefined ? [] : [`model loaded in ${formatDuration(load)}`]),
  ].join(', ');
}
