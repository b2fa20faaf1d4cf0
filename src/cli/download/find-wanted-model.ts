import { searchCatalog, type CatalogModelRecord } from '../../contract/v1/catalog.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import type { Client } from '../client/client.ts';
import type { ExitCode } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { CommandError } from '../failure.ts';
import { printable } from '../ui/printable.ts';
import { writeCatalog } from './catalog-table.ts';
import { chooseModel } from './choose-model.ts';
import { readWantedModel } from './wanted-model.ts';

/** The body of a request to download. */
export interface ModelRequest {
  readonly model: string;
  readonly quantization?: string;
}

type FoundModel =
  | {
      readonly kind: 'request';
      readonly request: ModelRequest;
      /** The argument that asks for the same again. */
      readonly argument: string;
    }
  /** The user saw what there is and chose none. */
  | { readonly kind: 'listed'; readonly exitCode: ExitCode };

/**
 * Finds what `hearth get` is to download. Words are searched for: on a terminal the user chooses; elsewhere
 * the list is all, and the exit code is 2 so that a script does not take it for a download.
 *
 * @throws CommandError where nothing matches; ApiError, ServerUnreachableError, Interruption.
 */
export async function findWantedModel(
  context: CommandContext,
  client: Client,
  argument: string,
  { isJson, isSearch }: { readonly isJson: boolean; readonly isSearch: boolean },
): Promise<FoundModel> {
  const { terminal, stdin, signal } = context;
  const wanted = readWantedModel(argument);
  if (!isSearch && wanted.kind === 'request') {
    const { model, quantization } = wanted;
    return { kind: 'request', request: { model, ...omitUndefined({ quantization }) }, argument };
  }
  const words = wanted.kind === 'words' ? wanted.words : argument.trim();
  if (!isSearch && words !== '') {
    const { models: known } = await client.call(searchCatalog, { query: { limit: 100 } }, signal);
    const named = known.find(({ id }) => id.toLowerCase() === words.toLowerCase());
    if (named !== undefined) return asRequest(named, wanted.quantization);
  }

  const query = words === '' ? {} : { search: words };
  const list = await client.call(searchCatalog, { query }, signal);
  const { models, warning } = list;
  if (warning !== undefined) {
    if (models.length === 0 && !isSearch) throw new CommandError(printable(warning.message));
    terminal.messages.line(printable(warning.message));
  }
  if (isJson) terminal.output.json(list);
  else if (models.length > 0) writeCatalog(terminal.output, models);
  if (models.length === 0 && !(isJson && isSearch)) {
    throw new CommandError(
      `Nothing matches ${JSON.stringify(printable(words))}. Try fewer words, or give owner/name or the URL of a repository.`,
    );
  }
  if (isSearch) return { kind: 'listed', exitCode: 0 };
  if (isJson || stdin.isTTY !== true || !terminal.messages.isInteractive) {
    terminal.messages.line('Nothing was downloaded. Get one of them with `hearth get MODEL`.');
    return { kind: 'listed', exitCode: 2 };
  }
  const chosen = await chooseModel(context, models);
  return chosen === undefined
    ? { kind: 'listed', exitCode: 0 }
    : asRequest(chosen, wanted.quantization);
}

/** The API takes a quantization only with a URL. */
function asRequest(model: CatalogModelRecord, quantization: string | undefined): FoundModel {
  const request =
    quantization === undefined ? { model: model.id } : { model: model.url, quantization };
  const argument = quantization === undefined ? model.id : `${model.id}@${quantization}`;
  return { kind: 'request', request, argument };
}
