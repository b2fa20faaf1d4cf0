import { getUsage, usageGroups } from '../../api/v1/tokens/usage-schema.ts';
import { formatCount } from '../../kernel/format.ts';
import { connect } from '../client/connect.ts';
import { defineCommand } from '../command.ts';
import { choiceList, clientOptions, integer } from '../option.ts';
import { writeTable } from '../ui/table.ts';

export const usage = defineCommand({
  options: {
    days: integer('--days <days>', 'Days up to today, in UTC (default: 30)', 1, 400),
    by: choiceList(
      '--by <list>',
      `What to add up for, comma-separated: ${usageGroups.join(', ')} (default: day)`,
      usageGroups,
    ),
    ...clientOptions,
  },
  examples: ['hearth usage', 'hearth usage --days 7 --by token,model', 'hearth usage --json'],
  async run({ context, options }) {
    const client = await connect(context, { ...options, isForAdmin: true });
    const { days = 30, by = ['day'] } = options;
    const from = new Date(Date.now() - (days - 1) * 24 * 3600 * 1000).toISOString().slice(0, 10);
    const query = { from, group_by: by.join(',') };
    const result = await client.call(getUsage, { query }, context.signal);
    const { output, messages } = context.terminal;
    if (options.json === true) {
      output.json(result);
      return;
    }
    const { rows, totals } = result;
    if (rows.length === 0) {
      messages.line(`No model was used since ${from}.`);
      return;
    }
    type Row = (typeof rows)[number];
    const fields = { day: 'day', model: 'model', token: 'token_name' } as const;
    const total: Row = { ...totals, [fields[by[0] ?? 'day']]: 'total' };
    const count = (title: string, field: keyof typeof totals, dropOrder: number) => ({
      title,
      dropOrder,
      isNumber: true,
      value: (row: Row) => formatCount(row[field]),
    });
    const groups = {
      day: { title: 'DAY', value: ({ day }: Row) => day ?? '' },
      model: { title: 'MODEL', value: ({ model }: Row) => model ?? '' },
      token: {
        title: 'TOKEN',
        // A revoked token has no name, so its id is shown.
        value: ({ token_name: name, token_id: id }: Row) =>
          name ?? (id === null ? 'no token' : (id ?? '')),
      },
    };
    writeTable<Row>(
      output,
      [
        ...by.map((group) => groups[group]),
        count('REQUESTS', 'requests', 3),
        count('FAILED', 'failed_requests', 1),
        count('PROMPT', 'prompt_tokens', 5),
        count('CACHED', 'cached_prompt_tokens', 2),
        count('COMPLETION', 'completion_tokens', 4),
      ],
      rows.length > 1 ? [...rows, total] : rows,
    );
  },
});
