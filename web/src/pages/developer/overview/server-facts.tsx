import type { z } from 'zod';
import type { serverStatusSchema } from '../../../../../src/api/v1/server/status-schema.ts';
import { developerTexts } from '../../../texts/developer.ts';
import { formatBytes } from '../../../ui/bytes.ts';
import { formatDuration } from '../../../ui/duration.ts';
import { Facts } from '../../../ui/facts.tsx';
import { Section } from '../../../ui/page.tsx';

const labels = developerTexts.overview;

/** Facts about the server. */
export function ServerFacts({
  status,
  readAtMs,
}: {
  readonly status: z.output<typeof serverStatusSchema>;
  /** Time at which the status was read, in milliseconds. */
  readonly readAtMs: number;
}) {
  const { version, pid, started_at, home, runtime, memory } = status;
  const seconds = Math.max(0, (readAtMs - Date.parse(started_at)) / 1000);
  return (
    <Section title={labels.server}>
      <div className="rounded-2xl border bg-raised px-4 py-3">
        <Facts
          facts={[
            [labels.version, version],
            [labels.uptime, formatDuration(seconds)],
            [labels.process, `${pid}, ${formatBytes(memory.resident_bytes)}`],
            [labels.home, home],
            [
              labels.runtime,
              runtime === null ? labels.noRuntime : `${runtime.name} ${runtime.version}`,
            ],
          ]}
        />
      </div>
    </Section>
  );
}
