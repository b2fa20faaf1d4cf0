import type { CatalogModelRecord } from '../../api/v1/models/catalog-schema.ts';
import { startDownload } from '../../api/v1/downloads/download-schema.ts';
import { getModel, listModels } from '../../api/v1/models/model-schema.ts';
import { modelName } from '../../server/offline/models.ts';
import { printable } from '../../kernel/printable.ts';
import { describeDownload, findCatalogModel } from '../check-model.ts';
import { ApiError } from '../client/client-error.ts';
import type { Client } from '../client/client.ts';
import { connect, type ConnectionOptions } from '../client/connect.ts';
import type { CommandContext } from '../context.ts';
import { followDownload } from '../download/follow-download.ts';
import { CommandError } from '../failure.ts';
import { confirm } from '../ui/confirm.ts';

/**
 * Offers to download a model that the user names by its id of the catalog, if it is not in the library and there is a
 * terminal.
 *
 * @returns the key in the library; the name itself if it is something else; undefined if the user declines.
 */
export async function offerCatalogModel(
  context: CommandContext,
  client: Client,
  name: string,
  options: ConnectionOptions,
): Promise<string | undefined> {
  const { stdin, terminal, signal } = context;
  // Keys of the library have a publisher.
  if (name.includes('/') || !(await isMissing(client, name, signal))) return name;
  const entry = await findCatalogModel(client, name, signal);
  if (entry === undefined) return name;
  const present = await findDownloaded(client, entry, signal);
  if (present !== undefined) return present;
  // The error of the chat names the command that downloads it.
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
 * @returns its key in the library.
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
