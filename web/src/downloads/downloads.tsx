import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { DownloadJobRecord } from '../../../src/api/v1/downloads/download-schema.ts';
import { usePermissions } from '../api/permissions.ts';
import { modelsTexts } from '../texts/models.ts';
import { Button } from '../ui/button.tsx';
import { formatBytes } from '../ui/bytes.ts';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { formatDuration } from '../ui/duration.ts';
import { errorText } from '../ui/error-text.ts';
import { Section } from '../ui/page.tsx';
import { ProgressBar } from '../ui/progress-bar.tsx';
import {
  downloadsQuery,
  useChangeDownload,
  useDownloadEvents,
  type JobAction,
} from './download-queries.ts';
import { LicenseBadge } from './license-badge.tsx';
import { separated } from '../ui/separated.ts';

const labels = modelsTexts.downloads;

/** The incomplete downloads, with their progress. */
export function Downloads() {
  useDownloadEvents();
  const { data } = useQuery(downloadsQuery);
  const unfinished = data?.downloads.filter(({ status }) => status !== 'completed') ?? [];
  if (unfinished.length === 0) return null;
  return (
    <Section title={labels.title}>
      <ul className="divide-y rounded-2xl border bg-raised">
        {unfinished.map((job) => (
          <DownloadRow key={job.job_id} job={job} />
        ))}
      </ul>
    </Section>
  );
}

function DownloadRow({ job }: { readonly job: DownloadJobRecord }) {
  const name = job.quantization === null ? job.model : `${job.model} ${job.quantization}`;
  return (
    <li className="flex flex-col gap-2 px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="min-w-0 flex-1 truncate text-sm font-medium">{name}</span>
        <DownloadActions job={job} name={name} />
      </div>
      <ProgressBar
        label={name}
        fraction={job.total_size_bytes === 0 ? 0 : job.downloaded_bytes / job.total_size_bytes}
      />
      <p className="flex flex-wrap items-center gap-2 text-xs text-muted tabular-nums">
        {separated(figuresOf(job))}
        <LicenseBadge model={job} />
      </p>
      {job.error !== undefined && <p className="text-xs text-danger">{errorText(job.error)}</p>}
    </li>
  );
}

function figuresOf(job: DownloadJobRecord): readonly string[] {
  const done = labels.progress({
    done: formatBytes(job.downloaded_bytes),
    total: formatBytes(job.total_size_bytes),
  });
  const speed = job.bytes_per_second ?? 0;
  const license = job.license === undefined ? [] : [modelsTexts.licensed({ license: job.license })];
  if (job.status !== 'downloading' || speed === 0) {
    return [labels.states[job.status], done, ...license];
  }
  const seconds = (job.total_size_bytes - job.downloaded_bytes) / speed;
  return [
    done,
    labels.speed({ speed: formatBytes(speed) }),
    labels.remaining({ time: formatDuration(seconds) }),
    ...license,
  ];
}

function DownloadActions({
  job: { job_id, status },
  name,
}: {
  readonly job: DownloadJobRecord;
  readonly name: string;
}) {
  const isAllowed = usePermissions()('models:write');
  const change = useChangeDownload();
  const [isAsking, setAsking] = useState(false);
  if (!isAllowed) return null;
  const button = (action: JobAction, label: string) => (
    <Button
      size="small"
      aria-label={labels.of({ action: label, name })}
      disabled={change.isPending}
      onClick={() => change.mutate({ job_id, action })}
    >
      {label}
    </Button>
  );
  return (
    <div className="flex gap-1.5">
      {status === 'downloading' && button('pause', labels.pause)}
      {status === 'paused' && button('resume', labels.resume)}
      {status === 'failed' && button('resume', labels.retry)}
      <Button
        size="small"
        aria-label={labels.of({ action: labels.cancel, name })}
        onClick={() => setAsking(true)}
      >
        {labels.cancel}
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={() => change.mutate({ job_id, action: 'cancel' })}
        title={labels.cancelTitle({ name })}
        description={labels.cancelHint}
        action={labels.cancelAction}
        dismissal={labels.keep}
      />
    </div>
  );
}
