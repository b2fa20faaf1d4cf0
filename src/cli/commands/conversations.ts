import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import {
  importConversations,
  type ImportReportRecord,
} from '../../api/v1/conversations/conversation-import-schema.ts';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import { printable } from '../../kernel/printable.ts';
import { connect } from '../client/connect.ts';
import { defineCommand } from '../command.ts';
import { CommandError } from '../failure.ts';
import { clientOptions, flag, required, text } from '../option.ts';
import { withProgress } from '../ui/progress.ts';
import type { TerminalStream } from '../ui/terminal.ts';

export const conversationsImport = defineCommand({
  positionals: { file: required('Export of an app: the zip archive or the JSON file') },
  options: {
    dryRun: flag('--dry-run', 'Only show what would be imported'),
    project: text('--project <id>', 'Project of the imported conversations'),
    ...clientOptions,
  },
  examples: [
    'hearth conversations import chatgpt-export.zip --dry-run',
    'hearth conversations import conversations.json',
  ],
  async run({ context, options, positionals: { file } }) {
    const { signal, terminal } = context;
    const client = await connect(context, options);
    const { size: sizeBytes } = await stat(file).catch((error: unknown) => {
      throw new CommandError(
        `The file can't be read: ${(error as Error).message}. Check its path.`,
      );
    });
    const query = omitUndefined({
      stream: 'true' as const,
      dry_run: options.dryRun === true ? ('true' as const) : undefined,
      project_id: options.project,
    });
    const upload = { content: createReadStream(file), sizeBytes };
    const report = await withProgress(terminal.messages, 'Importing', async (progress) => {
      let result: ImportReportRecord | undefined;
      for await (const event of client.stream(importConversations, { query, upload }, signal)) {
        if (event.type === 'import.progress') progress.update(event.progress);
        else if (event.type === 'import.end') ({ result } = event);
        else throw new CommandError(event.error.message);
      }
      return result;
    });
    if (report === undefined) throw new CommandError('The server ended before the import did.');
    if (options.json === true) terminal.output.json(report);
    else showReport(terminal.output, report);
  },
});

function showReport(output: TerminalStream, report: ImportReportRecord): void {
  const { conversation_count: count, response_count: responses, left_out: leftOut } = report;
  const label = report.dry_run ? 'To import' : 'Imported';
  output.line(`${label}: conversations: ${count}, responses: ${responses}.`);
  if (report.present_count > 0) output.line(`Imported before: ${report.present_count}.`);
  const missing = Object.entries(leftOut).filter(([, number]) => number > 0);
  if (missing.length > 0) {
    output.line(`Left out: ${missing.map(([kind, number]) => `${kind}: ${number}`).join(', ')}.`);
  }
  if (report.skipped_count > 0) output.line(`Skipped ${report.skipped_count}:`);
  for (const { title, reason } of report.skipped) {
    output.line(printable(`  ${title === '' ? 'Untitled' : title}: ${reason}`));
  }
}
