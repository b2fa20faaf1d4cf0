import { cancelDownload } from '../../api/v1/downloads/download-schema.ts';
import { connect } from '../client/connect.ts';
import { defineCommand } from '../command.ts';
import { connectionOptions, jsonOption, required } from '../option.ts';

export const downloadCancel = defineCommand({
  positionals: { job: required('Job id, as shown by `hearth download ls`') },
  options: { ...jsonOption, ...connectionOptions },
  examples: ['hearth download cancel job_0123456789'],
  async run({ context, options, positionals }) {
    const client = await connect(context, options);
    const params = { job_id: positionals.job };
    const result = await client.call(cancelDownload, { params }, context.signal);
    const { output } = context.terminal;
    if (options.json === true) output.json(result);
    else output.line(`Cancelled ${result.job_id} and deleted its files`);
  },
});
