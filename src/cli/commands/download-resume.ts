import { resumeDownload } from '../../api/v1/downloads/download-schema.ts';
import { connect } from '../client/connect.ts';
import { defineCommand } from '../command.ts';
import { describeProgress } from '../download/follow-download.ts';
import { connectionOptions, jsonOption, required } from '../option.ts';
import { printable } from '../../kernel/printable.ts';

export const downloadResume = defineCommand({
  positionals: { job: required('Job id, as shown by `hearth download ls`') },
  options: { ...jsonOption, ...connectionOptions },
  examples: ['hearth download resume job_0123456789'],
  async run({ context, options, positionals }) {
    const client = await connect(context, options);
    const params = { job_id: positionals.job };
    const job = await client.call(resumeDownload, { params }, context.signal);
    const { output } = context.terminal;
    if (options.json === true) output.json(job);
    else output.line(`Resumed ${printable(job.model)}: ${describeProgress(job)}`);
  },
});
