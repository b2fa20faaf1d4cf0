import {
  cancelDownload,
  type DownloadJobRecord,
  listDownloads,
  pauseDownload,
  resumeDownload,
} from '../../api/v1/downloads/download-schema.ts';
import { connect } from '../client/connect.ts';
import { defineCommand } from '../command.ts';
import { describeProgress, progressFraction } from '../download/follow-download.ts';
import { clientOptions, required } from '../option.ts';
import { formatBytes } from '../../kernel/format.ts';
import { printable } from '../../kernel/printable.ts';
import { writeList, writeResult } from '../ui/result.ts';

export const downloadLs = defineCommand({
  options: clientOptions,
  examples: ['hearth download ls', 'hearth download ls --json'],
  async run({ context, options }) {
    const client = await connect(context, options);
    const { downloads } = await client.call(listDownloads, {}, context.signal);
    const { terminal } = context;
    writeList<DownloadJobRecord>(terminal, options, {
      result: { downloads },
      rows: downloads,
      columns: [
        { title: 'JOB', value: ({ job_id: id }) => id },
        { title: 'MODEL', dropOrder: 7, value: ({ model }) => model },
        { title: 'QUANT', dropOrder: 4, value: ({ quantization }) => quantization ?? '-' },
        { title: 'STATUS', dropOrder: 6, value: ({ status }) => status },
        {
          title: 'DONE',
          dropOrder: 5,
          value: (job) => `${Math.floor(progressFraction(job) * 100)} %`,
          isNumber: true,
        },
        {
          title: 'SIZE',
          dropOrder: 3,
          value: (job) => formatBytes(job.total_size_bytes),
          isNumber: true,
        },
        {
          title: 'SPEED',
          dropOrder: 2,
          value: ({ bytes_per_second: speed }) =>
            speed === undefined ? '-' : `${formatBytes(speed)}/s`,
          isNumber: true,
        },
        { title: 'STARTED', dropOrder: 1, value: ({ started_at: time }) => formatTime(time) },
      ],
      ifEmpty: 'No downloads. Start one with `hearth get MODEL`.',
    });
    if (options.json === true) return;
    for (const { job_id: id, error } of downloads) {
      if (error !== undefined) terminal.messages.line(printable(`${id}: ${error.message}`));
    }
  },
});

/** To the minute, in UTC. */
function formatTime(time: string): string {
  return `${time.slice(0, 16).replace('T', ' ')} UTC`;
}

export const downloadPause = defineCommand({
  positionals: { job: required('Job id, as shown by `hearth download ls`') },
  options: clientOptions,
  examples: ['hearth download pause job_0123456789'],
  async run({ context, options, positionals }) {
    const client = await connect(context, options);
    const params = { job_id: positionals.job };
    const job = await client.call(pauseDownload, { params }, context.signal);
    const line = `Paused ${printable(job.model)}: ${describeProgress(job)}`;
    writeResult(context.terminal, options, job, line);
  },
});

export const downloadResume = defineCommand({
  positionals: { job: required('Job id, as shown by `hearth download ls`') },
  options: clientOptions,
  examples: ['hearth download resume job_0123456789'],
  async run({ context, options, positionals }) {
    const client = await connect(context, options);
    const params = { job_id: positionals.job };
    const job = await client.call(resumeDownload, { params }, context.signal);
    const line = `Resumed ${printable(job.model)}: ${describeProgress(job)}`;
    writeResult(context.terminal, options, job, line);
  },
});

export const downloadCancel = defineCommand({
  positionals: { job: required('Job id, as shown by `hearth download ls`') },
  options: clientOptions,
  examples: ['hearth download cancel job_0123456789'],
  async run({ context, options, positionals }) {
    const client = await connect(context, options);
    const params = { job_id: positionals.job };
    const result = await client.call(cancelDownload, { params }, context.signal);
    const line = `Cancelled ${result.job_id} and deleted its files`;
    writeResult(context.terminal, options, result, line);
  },
});
