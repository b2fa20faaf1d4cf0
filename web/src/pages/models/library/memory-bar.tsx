import type { ModelMemoryEstimate } from '../../../../../src/api/v1/models/model-details-schema.ts';
import { modelsTexts } from '../../../texts/models.ts';
import { formatBytes } from '../../../ui/bytes.ts';
import { FitBadge } from '../../../downloads/fit-badge.tsx';

const labels = modelsTexts.dialog;
const parts = [
  ['weights_bytes', labels.weights, 'bg-accent'],
  ['kv_cache_bytes', labels.kvCache, 'bg-ok'],
  ['compute_bytes', labels.compute, 'bg-warn'],
  ['projector_bytes', labels.projector, 'bg-danger'],
  ['process_bytes', labels.process, 'bg-strong-line'],
] as const;

/** Shows the memory of a load by its parts, compared with the available memory. */
export function MemoryBar({ estimate }: { readonly estimate: ModelMemoryEstimate }) {
  const { total_bytes, usable_bytes, fits } = estimate;
  const full = Math.max(total_bytes, usable_bytes, 1);
  const shown = parts.filter(([name]) => estimate[name] > 0);
  return (
    <section aria-label={labels.memory} aria-live="polite" className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2 text-sm">
        <span className="font-medium">{labels.memory}</span>
        <span className="flex-1 text-muted tabular-nums">
          {labels.total({ needed: formatBytes(total_bytes), usable: formatBytes(usable_bytes) })}
        </span>
        <FitBadge fit={fits} />
      </div>
      <div aria-hidden className="flex h-2.5 gap-px overflow-hidden rounded-full bg-hover">
        {shown.map(([name, , color]) => (
          <div
            key={name}
            className={`h-full ${color}`}
            style={{ width: `${(estimate[name] / full) * 100}%` }}
          />
        ))}
      </div>
      <dl className="flex flex-wrap gap-x-4 gap-y-1 text-xs text-muted">
        {shown.map(([name, label, color]) => (
          <div key={name} className="flex items-center gap-1.5">
            <span aria-hidden className={`size-2 rounded-full ${color}`} />
            <dt>{label}</dt>
            <dd className="tabular-nums">{formatBytes(estimate[name])}</dd>
          </div>
        ))}
      </dl>
      {fits !== 'fits' && <p className="text-xs text-muted">{modelsTexts.fitHints[fits]}</p>}
    </section>
  );
}
