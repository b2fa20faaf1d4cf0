import { createLogger } from '../../telemetry/logger.ts';
import { openLibrary } from '../local/library.ts';
import { printable } from '../../kernel/printable.ts';
import { ok, warning, type DoctorContext, type Finding } from './check.ts';
import { skipped } from './check-runtime.ts';

/** Whether the models can be read. */
export async function checkModels(context: DoctorContext): Promise<readonly Finding[]> {
  if (context.settings === null) return [skipped];
  const faults: string[] = [];
  // The library logs a file that it can't read, once.
  const logger = createLogger('warn', {
    write: (line) => {
      const { reason, msg } = JSON.parse(line) as { reason?: string; msg: string };
      faults.push(reason ?? msg);
    },
  });
  const models = await (await openLibrary(context, logger)).list();
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
