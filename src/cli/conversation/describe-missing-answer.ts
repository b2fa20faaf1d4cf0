import type { ChatResult } from '../../api/v1/chat/chat-schema.ts';
import { formatCount } from '../../kernel/format.ts';

/** @returns the message for the user if the model wrote no answer; otherwise undefined. */
export function describeMissingAnswer({ output, stats }: ChatResult): string | undefined {
  const hasText = output.some((item) => item.type === 'message' && item.content.trim() !== '');
  if (hasText) return undefined;
  const tokens = stats.reasoning_output_tokens;
  return tokens === 0
    ? 'The model returned an empty answer.'
    : `The model returned no answer, only ${formatCount(tokens)} tokens of reasoning. Try --reasoning off.`;
}
