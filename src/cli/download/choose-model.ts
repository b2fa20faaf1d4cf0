import type { CatalogModelRecord } from '../../api/v1/models/catalog-schema.ts';
import type { CommandContext } from '../context.ts';
import { askForChoice } from '../ui/ask-for-choice.ts';

/**
 * Asks on the terminal which of the listed models to download.
 *
 * @returns undefined if the user chooses none.
 * @throws as `askForChoice`
 */
export async function chooseModel(
  context: CommandContext,
  models: readonly CatalogModelRecord[],
): Promise<CatalogModelRecord | undefined> {
  const chosen = await askForChoice(context, {
    question: `Download which model? [1-${models.length}, Enter to cancel] `,
    choices: models.map(({ id }) => id),
    otherwise: undefined,
  });
  return models.find(({ id }) => id === chosen);
}
