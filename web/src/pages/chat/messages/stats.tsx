import { texts } from '../../../texts/texts.ts';
import type { TurnStats } from './turn.ts';
import { formatDuration } from '../../../ui/duration.ts';
import { formatDecimal } from '../../../ui/numbers.ts';

/** Statistics of an answer: speed, time to the first token, tokens and use of the context. */
export function Stats({
  stats,
  contextLength,
}: {
  readonly stats: TurnStats;
  /** Context length of the instance, if it is loaded. */
  readonly contextLength: number | undefined;
}) {
  const labels = texts.chat.stats;
  const used = stats.input_tokens + stats.total_output_tokens;
  const cached = stats.cached_input_tokens;
  const parts = [
    labels.speed({ speed: formatDecimal(stats.tokens_per_second) }),
    labels.firstToken({ time: formatDuration(stats.time_to_first_token_seconds) }),
    labels.tokens({ tokens: stats.total_output_tokens }),
    cached === undefined || cached === 0 ? undefined : labels.cached({ tokens: cached }),
    contextLength === undefined ? undefined : labels.context({ used, length: contextLength }),
    stats.model_load_time_seconds === undefined
      ? undefined
      : labels.loadTime({ time: formatDuration(stats.model_load_time_seconds) }),
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
