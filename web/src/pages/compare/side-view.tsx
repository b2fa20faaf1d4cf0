import { compareTexts } from '../../texts/compare.ts';
import { Badge } from '../../ui/badge.tsx';
import { formatDuration } from '../../ui/duration.ts';
import { inputClass } from '../../ui/field.tsx';
import { Markdown } from '../../ui/markdown/markdown.tsx';
import { Notice } from '../../ui/notice.tsx';
import type { SideAnswer, SideSettings } from './side.ts';
import { formatDecimal, formatNumber } from '../../ui/numbers.ts';

const labels = compareTexts;

export const sideNames = ['first', 'second'] as const;
type Side = (typeof sideNames)[number];

/** One side of the comparison: settings, answer and statistics. */
export function SideView({
  side,
  models,
  settings,
  answer,
  isRunning,
  onChange,
}: {
  readonly side: Side;
  readonly models: readonly string[];
  readonly settings: SideSettings;
  readonly answer: SideAnswer;
  readonly isRunning: boolean;
  readonly onChange: (settings: SideSettings) => void;
}) {
  const number = (field: 'temperature' | 'maxTokens', limits: object) => (
    <label className="flex min-w-0 flex-col gap-1 text-xs text-muted">
      <span aria-hidden>{labels.short[field]}</span>
      <input
        type="number"
        aria-label={labels[side][field]}
        placeholder={labels.asDefault}
        className={`${inputClass} text-text`}
        disabled={isRunning}
        value={settings[field]}
        onChange={(event) => onChange({ ...settings, [field]: event.target.value })}
        {...limits}
      />
    </label>
  );
  return (
    <section
      aria-label={labels[side].answer}
      className="flex min-w-0 flex-col gap-3 rounded-2xl border bg-raised p-4"
    >
      <select
        aria-label={labels[side].model}
        className={inputClass}
        disabled={isRunning}
        value={settings.model}
        onChange={(event) => onChange({ ...settings, model: event.target.value })}
      >
        {models.map((model) => (
          <option key={model}>{model}</option>
        ))}
      </select>
      <div className="grid grid-cols-2 items-end gap-2">
        {number('temperature', { min: 0, max: 1, step: 0.05 })}
        {number('maxTokens', { min: 1, step: 1 })}
      </div>
      <Answer answer={answer} />
    </section>
  );
}

function Answer({ answer }: { readonly answer: SideAnswer }) {
  const { phase, text, reasoning, error } = answer;
  const phases: Partial<Record<SideAnswer['phase'], string>> = {
    waiting: labels.waiting,
    loading: labels.loading,
    generating: labels.generating,
    stopped: labels.stopped,
  };
  const shown = phases[phase];
  return (
    <div className="flex min-h-24 flex-col gap-3" aria-busy={phase === 'generating'}>
      {shown !== undefined && (
        <p>
          <Badge tone={phase === 'stopped' ? 'warn' : 'accent'}>{shown}</Badge>
        </p>
      )}
      {reasoning !== '' && (
        <details className="text-sm text-muted">
          <summary className="cursor-pointer">{labels.reasoning}</summary>
          <p dir="auto" className="mt-1 break-words whitespace-pre-wrap">
            {reasoning}
          </p>
        </details>
      )}
      {text !== '' && <Markdown text={text} isOpen={phase === 'generating'} />}
      {phase === 'done' && text === '' && reasoning !== '' && error === undefined && (
        <p className="text-sm text-muted">{labels.noText}</p>
      )}
      {error !== undefined && <Notice tone="danger">{error}</Notice>}
      <Figures answer={answer} />
    </div>
  );
}

function Figures({ answer: { stats, loadSeconds } }: { readonly answer: SideAnswer }) {
  if (stats === undefined) return null;
  const figures = [
    [labels.speed, labels.tokensPerSecond({ speed: formatDecimal(stats.tokens_per_second) })],
    [labels.firstToken, formatDuration(stats.time_to_first_token_seconds)],
    [labels.tokens, formatNumber(stats.total_output_tokens)],
    ...(loadSeconds === undefined ? [] : [[labels.loadTime, formatDuration(loadSeconds)]]),
  ] as const;
  return (
    <dl
      aria-label={labels.figures}
      className="mt-auto flex flex-wrap gap-x-6 gap-y-1 border-t pt-3"
    >
      {figures.map(([figure, value]) => (
        <div key={figure}>
          <dt className="text-xs text-muted">{figure}</dt>
          <dd className="text-sm font-semibold tabular-nums">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
