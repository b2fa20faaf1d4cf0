import { inspectPostgres } from '../../server/offline/store.ts';
import { withoutPassword } from '../../kernel/postgres-url.ts';
import { describeGrowth } from './database-growth.ts';
import { ok, problem, warning, type DoctorContext, type Finding } from './check.ts';

/** Whether the PostgreSQL database can be reached and used. */
export async function checkPostgres(
  url: string,
  settings: DoctorContext['settings'],
): Promise<readonly Finding[]> {
  const shown = withoutPassword(url);
  const state = await inspectPostgres(url);
  if ('reason' in state) {
    return [problem(`${shown} can't be used: ${state.reason}.`, `${state.remedy}.`)];
  }
  const { majorVersion, isReadOnly, schema, newestSchema, sizeBytes } = state;
  if (schema > newestSchema) {
    return [
      problem(
        `${shown} was written by a newer Hearth (schema ${schema}; this one knows up to ${newestSchema}).`,
        'Install that version again, or use another database.',
      ),
    ];
  }
  return [
    ok(`${shown} responds (PostgreSQL ${majorVersion}).`),
    ...(isReadOnly
      ? [problem(`${shown} is read-only.`, 'Set store.url to the primary server.')]
      : []),
    ...(schema < newestSchema
      ? [
          warning(
            `${shown} has schema ${schema} of ${newestSchema}.`,
            'The next start of the server migrates it, as does `hearth store migrate`.',
          ),
        ]
      : []),
    ...describeGrowth(sizeBytes, settings ?? {}),
  ];
}
