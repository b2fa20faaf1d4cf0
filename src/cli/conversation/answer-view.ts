import type { ChatStats } from '../../contract/v1/chat.ts';
import type { ChatEvent } from '../../contract/v1/chat-event.ts';
import { formatCount, formatDuration } from '../ui/format.ts';
import { printable } from '../ui/printable.ts';
import { createProgress, type Progress } from '../ui/progress.ts';
import type { Terminal } from '../ui/terminal.ts';

export interface AnswerView {
  show(event: ChatEvent): void;
  /** Completes the current line and removes the progress bar. */
  end(): void;
}

/**
 * Shows an answer as it streams: its text, unchanged, on the output; everything else on the messages.
 * Reasoning is shown only if both are terminals.
 */
export function createAnswerView({ output, messages }: Terminal): AnswerView {
  const showsReasoning = output.isInteractive && messages.isInteractive;
  let loading: Progress | undefined;
  let openLine: typeof output | undefined;

  const write = (stream: typeof output, text: string, shown: string): void => {
    stream.write(shown);
    if (text !== '') openLine = text.endsWith('\n') ? undefined : stream;
  };
  const endLine = (): void => {
    openLine?.line();
    openLine = undefined;
  };
  const endLoading = (): void => {
    loading?.stop();
    loading = undefined;
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
        case 'reasoning.delta':
          if (!showsReasoning) break;
          write(messages, event.content, messages.style.dim(printable(event.content)));
          break;
        case 'message.delta':
          write(
            output,
            event.content,
            output.isInteractive ? printable(event.content) : event.content,
          );
          break;
        case 'tool_call.arguments':
          messages.line(messages.style.dim(`Calling ${printable(event.tool)}`));
          break;
        case 'tool_call.failure':
          messages.line(messages.style.dim(`Tool call failed: ${printable(event.reason)}`));
          break;
        case 'reasoning.end':
        case 'message.end':
          endLine();
          break;
        default:
      }
    },
    end() {
      endLoading();
      endLine();
    },
  };
}

/** `17 input tokens, 25 output tokens at 812 tokens/s, first token after 23 ms`. */
export function formatStats(stats: ChatStats): string {
  const load = stats.model_load_time_seconds;
  return [
    `${formatCount(stats.input_tokens)} input tokens`,
    `${formatCount(stats.total_output_tokens)} output tokens at ${formatCount(Math.round(stats.tokens_per_second))} tokens/s`,
    `first token after ${formatDuration(stats.time_to_first_token_seconds)}`,
    ...(load === undefined ? [] : [`model loaded in ${formatDuration(load)}`]),
  ].join(', ');
}
