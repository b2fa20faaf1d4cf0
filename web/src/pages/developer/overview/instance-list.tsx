import type { InstanceStatus } from '../../../../../src/api/v1/server/status-schema.ts';
import { developerTexts } from '../../../texts/developer.ts';
import { modelsTexts } from '../../../texts/models.ts';
import { Badge } from '../../../ui/badge.tsx';
import { formatBytes } from '../../../ui/bytes.ts';
import { formatDuration } from '../../../ui/duration.ts';
import { Section } from '../../../ui/page.tsx';
import { separated } from '../../../ui/separated.ts';

const labels = developerTexts.overview;

/** The loaded models and their activity. */
export function InstanceList({ instances }: { readonly instances: readonly InstanceStatus[] }) {
  return (
    <Section title={labels.instances}>
      {instances.length === 0 ? (
        <p className="text-sm text-muted">{labels.noInstances}</p>
      ) : (
        <ul className="divide-y rounded-2xl border bg-raised">
          {instances.map((instance) => (
            <li
              key={instance.id}
              className="flex flex-wrap items-center gap-x-3 px-4 py-2.5 text-sm"
            >
              <span className="font-medium break-words">{instance.id}</span>
              <Badge tone={instance.state === 'ready' ? 'ok' : 'warn'}>
                {modelsTexts.states[instance.state]}
              </Badge>
              <span className="text-xs text-muted tabular-nums">
                {separated(figuresOf(instance))}
              </span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

function figuresOf(instance: InstanceStatus): readonly string[] {
  const { config, active_requests, resident_bytes, estimated_bytes, idle_seconds } = instance;
  return [
    modelsTexts.instance({ tokens: config.context_length, requests: config.parallel ?? 0 }),
    formatBytes(resident_bytes ?? estimated_bytes),
    ...(active_requests > 0 ? [labels.busy({ requests: active_requests })] : []),
    ...(active_requests === 0 && idle_seconds !== undefined
      ? [labels.idle({ time: formatDuration(idle_seconds) })]
      : []),
  ];
}
