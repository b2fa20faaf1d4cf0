import { openLibrary } from '../../server/offline/models.ts';
import { printable } from '../../kernel/printable.ts';
import { ok, warning, type DoctorContext, type Finding } from './check.ts';
import { skipped } from './check-runtime.ts';

/** Whether the models can be read. */
export async function checkModels(context: DoctorContext): Promise<readonly Finding[]> {
  if (context.settings === null) return [skipped];
  const faults: string[] = [];
  const library = await openLibrary(context, (fault) => faults.push(fault));
  const models = await library.list();
  const [first] = models;
  return [
    first === undefined
      ? warning(
          'No models were found.',
          'Find one with `hearth search`, and download it with `hearth get`.',
        )
      : ok(models.length === 1 ? `1 model: ${first.key}.` : `${models.length} models.`),
    ...faults.map((fault) =>
      warning(printable(fault), 'Download the model again, or delete its file.'),
    ),
  ];
}
