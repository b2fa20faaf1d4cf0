import { listRecommendedModels } from '../../api/v1/downloads/hub-repository-schema.ts';
import { getModel, listModels, type V1Model } from '../../api/v1/models/model-schema.ts';
import { formatBytes } from '../../kernel/format.ts';
import { printable } from '../../kernel/printable.ts';
import { ApiError } from '../client/client-error.ts';
import type { Client } from '../client/client.ts';
import type { CommandContext } from '../command.ts';
import { askForChoice, confirm } from '../ui/ask.ts';
import { writeTable } from '../ui/table.ts';
import type { CatalogModelRecord } from '../../api/v1/models/catalog-schema.ts';
import { startDownload } from '../../api/v1/downloads/download-schema.ts';
import { modelName } from '../../server/offline/models.ts';
import { describeDownload, findCatalogModel } from '../check-model.ts';
import { connect, type ConnectionOptions } from '../client/connect.ts';
import { followDownload } from '../download/follow-download.ts';
import { CommandError } from '../failure.ts';

/** The user's choice of a model. */
export type ChosenModel =
  | { readonly kind: 'model'; readonly model: string }
  /** Id of the catalog for a model that must be downloaded first. */
  | { readonly kind: 'download'; readonly model: string };

const isStarter = ({ key }: Pick<V1Model, 'key'>): boolean => key.startsWith('hearth/starter-');

/**
 * Lets the user choose a language model. Offers the models of the library; if it has only the starter models, offers
 * downloads that fit into the memory. Does not ask if exactly one model is loaded.
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
      // The server is older, or the token may not read models.
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

const starterModel = 'hearth/starter-chat';

/** Finds the model to chat with if the user names none: the only loaded language model, or the starter model. */
export async function findDefaultModel(client: Client, signal: AbortSignal): Promise<string> {
  const { models } = await client.call(listModels, {}, signal);
  return pickDefaultModel(models);
}

/** @returns The key of the only loaded language model, or of the starter model. */
export function pickDefaultModel(
  models: readonly Pick<V1Model, 'key' | 'type' | 'loaded_instances'>[],
): string {
  const [first, second] = models.filter(
    ({ type, loaded_instances: instances }) => type === 'llm' && instances.length > 0,
  );
  return first !== undefined && second === undefined ? first.key : starterModel;
}

/**
 * Offers to download a model if its name is an id of the catalog, it is not in the library, and there is a terminal.
 *
 * @returns The key in the library; otherwise the name itself; undefined if the user declines.
 */
export async function offerCatalogModel(
  context: CommandContext,
  client: Client,
  name: string,
  options: ConnectionOptions,
): Promise<string | undefined> {
  const { stdin, terminal, signal } = context;
  // A name with a publisher is a key of the library.
  if (name.includes('/') || !(await isMissing(client, name, signal))) return name;
  const entry = await findCatalogModel(client, name, signal);
  if (entry === undefined) return name;
  const present = await findDownloaded(client, entry, signal);
  if (present !== undefined) return present;
  // Without a terminal, the error of the chat names the command to download the model.
  if (stdin.isTTY !== true || !terminal.messages.isInteractive) return name;
  const { id, repository, description } = entry;
  terminal.messages.line(
    printable(`${id} is not on this machine (${describeDownload(entry)}, from ${repository}).`),
  );
  if (description !== undefined) terminal.messages.line(printable(description));
  const isWanted = await confirm('Download it?', stdin, terminal.messages, signal);
  return isWanted ? downloadModel(context, client, id, options) : undefined;
}

async function isMissing(client: Client, model: string, signal: AbortSignal): Promise<boolean> {
  try {
    await client.call(getModel, { params: { model } }, signal);
    return false;
  } catch (error) {
    if (error instanceof ApiError) return error.code === 'model_not_found';
    throw error;
  }
}

async function findDownloaded(
  client: Client,
  { repository }: CatalogModelRecord,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { models } = await client.call(listModels, {}, signal);
  const wanted = modelName(repository).toLowerCase();
  return models.find(({ key }) => key === wanted)?.key;
}

/**
 * Downloads a model of the catalog.
 *
 * @returns The key in the library.
 * @throws CommandError if the download fails.
 */
export async function downloadModel(
  context: CommandContext,
  client: Client,
  id: string,
  options: ConnectionOptions,
): Promise<string> {
  const { signal, terminal } = context;
  const start = await client.call(startDownload, { body: { model: id } }, signal);
  if (start.status === 'already_downloaded') return start.model;
  const job = await followDownload({
    job: start,
    messages: terminal.messages,
    client,
    reconnect: () => connect(context, options),
    signal,
    onState: () => {},
  });
  if (job.status === 'completed') return job.model;
  const reason = job.error?.message ?? 'It was paused.';
  throw new CommandError(`${reason} Continue with \`hearth get ${id}\`.`);
}
