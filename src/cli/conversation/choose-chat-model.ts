import { listRecommendedModels } from '../../api/v1/downloads/hub-repository-schema.ts';
import { listModels, type V1Model } from '../../api/v1/models/model-schema.ts';
import { formatBytes } from '../../kernel/format.ts';
import { printable } from '../../kernel/printable.ts';
import { ApiError } from '../client/client-error.ts';
import type { Client } from '../client/client.ts';
import type { CommandContext } from '../context.ts';
import { askForChoice } from '../ui/ask-for-choice.ts';
import { writeTable } from '../ui/table.ts';
import { pickDefaultModel } from './default-model.ts';

/** What the user chose to chat with. */
export type ChosenModel =
  | { readonly kind: 'model'; readonly model: string }
  /** To be downloaded first; an id of the catalog. */
  | { readonly kind: 'download'; readonly model: string };

const isStarter = ({ key }: Pick<V1Model, 'key'>): boolean => key.startsWith('hearth/starter-');

/**
 * Lets the user choose from the language models of the library; from downloads that fit into the memory if it has only
 * the starter models. Does not ask if one model is loaded.
 *
 * @returns undefined if the user chooses none.
 */
export async function chooseChatModel(
  context: CommandContext,
  client: Client,
): Promise<ChosenModel | undefined> {
  const { signal, terminal } = context;
  const { models } = await client.call(listModels, {}, signal);
  const chat = models.filter(({ type }) => type === 'llm');
  const loaded = chat.filter(({ loaded_instances: instances }) => instances.length > 0);
  if (loaded.length === 1) return { kind: 'model', model: pickDefaultModel(models) };
  const own = chat.filter((model) => !isStarter(model));
  if (own.length === 0) return offerDownloads(context, client, pickDefaultModel(models));
  const rows = [...own, ...chat.filter(isStarter)];
  writeTable(
    terminal.messages,
    [
      { title: '#', value: ([number]) => String(number), isNumber: true },
      { title: 'MODEL', value: ([, { key }]) => key },
      {
        title: 'SIZE',
        dropOrder: 1,
        value: ([, { size_bytes: size }]) => formatBytes(size),
        isNumber: true,
      },
    ],
    rows.map((model, index) => [index + 1, model] as const),
  );
  const key = await askForChoice(context, {
    question: `Chat with which model? [1-${rows.length}, Enter for 1] `,
    choices: rows.map((row) => row.key),
    otherwise: rows[0]?.key,
  });
  return key === undefined ? undefined : { kind: 'model', model: key };
}

async function offerDownloads(
  context: CommandContext,
  client: Client,
  starter: string,
): Promise<ChosenModel | undefined> {
  const { signal, terminal } = context;
  const models = await client
    .call(listRecommendedModels, { query: {} }, signal)
    .then((list) => list.models)
    .catch((error: unknown) => {
      // An older server, or a token that may not read models.
      if (error instanceof ApiError) return [];
      throw error;
    });
  if (models.length === 0) return { kind: 'model', model: starter };
  terminal.messages.line('These models fit into the memory of this machine:');
  for (const [index, { id, size_bytes: size, description }] of models.entries()) {
    const bytes = size === undefined ? '' : `${formatBytes(size)}. `;
    terminal.messages.line(`  ${index + 1}  ${id}: ${bytes}${printable(description ?? '')}`);
  }
  const chosen = await askForChoice(context, {
    question: `Download which one? [1-${models.length}, Enter to chat with ${starter}] `,
    choices: models.map(({ id }) => id),
    otherwise: starter,
  });
  if (chosen === undefined) return undefined;
  return { kind: chosen === starter ? 'model' : 'download', model: chosen };
}
