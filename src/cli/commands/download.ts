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
import { formatBytes, formatMinute } from '../../kernel/format.ts';
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
        { title: 'STARTED', dropOrder: 1, value: ({ started_at: time }) => formatMinute(time) },
      ],
      ifEmpty: 'No downloads. Start one with `hearth get MODEL`.',
    });
    if (options.json === true) return;
    for (const { job_id: id, error } of downloads) {
      if (error !== undefined) terminal.messages.line(printable(`${id}: ${error.message}`));
    }
  },
});

const positionals = { job: required('Job id, as shown by `hearth download ls`') };

/** A command that pauses or resumes a job. */
function changeJob(
  route: typeof pauseDownload | typeof resumeDownload,
  name: string,
  pastTense: string,
) {
  return defineCommand({
    positionals,
    options: clientOptions,
    examples: [`hearth download ${name} job_0123456789`],
    async run({ context, options, positionals: { job: id } }) {
      const client = await connect(context, options);
      const job = await client.call(route, { params: { job_id: id } }, context.signal);
      const line = `${pastTense} ${printable(job.model)}: ${describeProgress(job)}`;
      writeResult(context.terminal, options, job, line);
    },
  });
}

export const downloadPause = changeJob(pauseDownload, 'pause', 'Paused');
export const downloadResume = changeJob(resumeDownload, 'resume', 'Resumed');

export const downloadCancel = defineCommand({
  positionals,
  options: clientOptions,
  examples: ['hearth download cancel job_0123456789'],
  async run({ context, options, positionals: { job: id } }) {
    const client = await connect(context, options);
    const params = { job_id: id };
    const result = await client.call(cancelDownload, { params }, context.signal);
    const line = `Cancelled ${result.job_id} and deleted its files`;
    writeResult(context.terminal, options, result, line);
  },
});
