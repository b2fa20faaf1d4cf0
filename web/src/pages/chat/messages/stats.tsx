import type { ChatResult } from '../../../../../src/contract/v1/chat.ts';
import { texts } from '../../../texts/texts.ts';

/** Speed, time to the first token, tokens and use of the context of an answer. */
export function Stats({
  stats,
  contextLength,
}: {
  readonly stats: ChatResult['stats'];
  /** Context of the instance, if it is loaded. */
  readonly contextLength: number | undefined;
}) {
  const labels = texts.chat.stats;
  const used = stats.input_tokens + stats.total_output_tokens;
  const cached = (stats as { readonly cached_input_tokens?: number }).cached_input_tokens;
  const parts = [
    stats.tokens_per_second === undefined ? undefined : labels.speed(stats.tokens_per_second),
    labels.firstToken(stats.time_to_first_token_seconds),
    labels.tokens(stats.total_output_tokens),
    cached === undefined ? undefined : labels.cached(cached),
    contextLength === undefined ? undefined : labels.context(used, contextLength),
    stats.model_load_time_seconds === undefined
      ? undefined
      : labels.loadTime(stats.model_load_time_seconds),
  ];
  return (
    <ul
      aria-label={labels.label}
      className="flex flex-wrap gap-x-3 text-xs text-muted tabular-nums"
    >
      {parts.map((part) => part !== undefined && <li key={part}>{part}</li>)}
    </ul>
  );
}
