import type { ChatResult } from '../../contract/v1/chat.ts';
import { formatCount } from '../ui/format.ts';

/** What to tell the user where the model wrote no message; undefined where it did. */
export function describeMissingAnswer({ output, stats }: ChatResult): string | undefined {
  const hasText = output.some((item) => item.type === 'message' && item.content.trim() !== '');
  if (hasText) return undefined;
  const tokens = stats.reasoning_output_tokens;
  return tokens === 0
    ? 'The model gave an empty answer.'
    : `The model gave no answer, only ${formatCount(tokens)} tokens of reasoning; try --reasoning off.`;
}
