import { type CatalogModelRecord, searchCatalog } from '../../api/v1/models/catalog-schema.ts';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import type { Client } from '../client/client.ts';
import type { ExitCode, CommandContext } from '../command.ts';
import { CommandError } from '../failure.ts';
import { printable } from '../../kernel/printable.ts';
import { writeCatalog } from './catalog-table.ts';
import { askForChoice } from '../ui/ask.ts';

/** Body of a download request. */
export interface ModelRequest {
  readonly model: string;
  readonly quantization?: string;
}

type ResolvedModel =
  | {
      readonly kind: 'request';
      readonly request: ModelRequest;
      /** Argument of `hearth get` that selects the same model again. */
      readonly argument: string;
    }
  /** The matching models were listed, but none was chosen. */
  | { readonly kind: 'listed'; readonly exitCode: ExitCode };

/**
 * Resolves the argument of `hearth get`. If the argument is search words, the user chooses from the matches. Without a
 * terminal the matches are only listed, with exit code 2, so that a script does not mistake that for a download.
 *
 * @throws CommandError if nothing matches; ApiError, ServerUnreachableError, Interruption.
 */
export async function resolveModel(
  context: CommandContext,
  client: Client,
  argument: string,
  { isJson, isSearch }: { readonly isJson: boolean; readonly isSearch: boolean },
): Promise<ResolvedModel> {
  const { terminal, stdin, signal } = context;
  const parsed = parseModelArgument(argument);
  if (!isSearch && parsed.kind === 'request') {
    const { model, quantization } = parsed;
    return { kind: 'request', request: { model, ...omitUndefined({ quantization }) }, argument };
  }
  const words = parsed.kind === 'words' ? parsed.words : argument.trim();
  if (!isSearch && words !== '') {
    const { models: known } = await client.call(searchCatalog, { query: { limit: 100 } }, signal);
    const named = known.find(({ id }) => id.toLowerCase() === words.toLowerCase());
    if (named !== undefined) return asRequest(named, parsed.quantization);
  }

  const query = words === '' ? { limit: 100 } : { search: words };
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
      `No model matches ${JSON.stringify(printable(words))}. Try fewer words, or use owner/name or the URL of a repository.`,
    );
  }
  if (isSearch) return { kind: 'listed', exitCode: 0 };
  if (isJson || stdin.isTTY !== true || !terminal.messages.isInteractive) {
    terminal.messages.line(
      'Nothing was downloaded. Download one of these with `hearth get MODEL`.',
    );
    return { kind: 'listed', exitCode: 2 };
  }
  const chosen = await chooseModel(context, models);
  return chosen === undefined
    ? { kind: 'listed', exitCode: 0 }
    : asRequest(chosen, parsed.quantization);
}

/** Uses the URL if there is a quantization, since the API accepts one only with a URL. */
function asRequest(model: CatalogModelRecord, quantization: string | undefined): ResolvedModel {
  const request =
    quantization === undefined ? { model: model.id } : { model: model.url, quantization };
  const argument = quantization === undefined ? model.id : `${model.id}@${quantization}`;
  return { kind: 'request', request, argument };
}

/**
 * Asks on the terminal which of the listed models to download.
 *
 * @returns undefined if the user chooses none.
 * @throws The errors of `askForChoice`.
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

/** Parsed argument of `hearth get`. */
export type ModelArgument =
  /** The body of a download request. */
  | { readonly kind: 'request'; readonly model: string; readonly quantization?: string }
  /** A catalog id, or search words. */
  | { readonly kind: 'words'; readonly words: string; readonly quantization?: string };

const hubUrl = 'https://huggingface.co/';
const registryPattern = /^(?:ollama|docker|modelscope):\S+$/i;
const urlPattern = /^(https?:\/\/[^@]+?)(?:@([\w.-]+))?$/i;
/** A URL without its scheme, as some browsers show it. */
const bareUrlPattern = /^(?:www\.)?(?:huggingface\.co|hf\.co)\//i;
const bareModelScopePattern = /^(?:www\.)?modelscope\.(?:cn|ai)\//i;
const repositoryPattern = /^([\w.-]+\/[\w.-]+?)(?:[@:]([\w.-]+))?$/;
/** Text with a slash and no spaces: neither an id nor search words. The server rejects it with a precise error. */
const addressPattern = /^\S*\/\S*$/;
const idPattern = /^([\w.-]+)@([\w.-]+)$/;

/**
 * Parses a URL, `owner/name`, a name in a registry or ModelScope, a catalog id or search words. All except search words
 * may end with `@quantization`; `owner/name:quantization` works, too. The API accepts a quantization only with a URL,
 * so `owner/name` becomes a URL if it has one.
 */
export function parseModelArgument(argument: string): ModelArgument {
  const text = argument
    .trim()
    .replace(bareUrlPattern, hubUrl)
    .replace(bareModelScopePattern, (host) => `https://${host}`);
  if (registryPattern.test(text)) return { kind: 'request', model: text };
  const [, url, urlQuantization] = urlPattern.exec(text) ?? [];
  if (url !== undefined) return withQuantization({ kind: 'request', model: url }, urlQuantization);
  const [, repository, quantization] = repositoryPattern.exec(text) ?? [];
  if (repository !== undefined) {
    const model = quantization === undefined ? repository : `${hubUrl}${repository}`;
    return withQuantization({ kind: 'request', model }, quantization);
  }
  if (addressPattern.test(text)) return { kind: 'request', model: text };
  const [, id, idQuantization] = idPattern.exec(text) ?? [];
  return withQuantization({ kind: 'words', words: id ?? text }, idQuantization);
}

function withQuantization<Argument extends ModelArgument>(
  argument: Argument,
  quantization: string | undefined,
): Argument {
  return quantization === undefined ? argument : { ...argument, quantization };
}
