/** What the argument of `hearth get` means. */
export type WantedModel =
  /** A body for the API as it stands. */
  | { readonly kind: 'request'; readonly model: string; readonly quantization?: string }
  /** An id of the catalog, or words to search with. */
  | { readonly kind: 'words'; readonly words: string; readonly quantization?: string };

const hubUrl = 'https://huggingface.co/';
const urlPattern = /^(https?:\/\/[^@]+?)(?:@([\w.-]+))?$/i;
/** As addresses are copied out of a browser's bar. */
const bareUrlPattern = /^(?:www\.)?(?:huggingface\.co|hf\.co)\//i;
const repositoryPattern = /^([\w.-]+\/[\w.-]+?)(?:[@:]([\w.-]+))?$/;
/** Neither an id nor words: what is wrong with it the server says best. */
const addressPattern = /^\S*\/\S*$/;
const idPattern = /^([\w.-]+)@([\w.-]+)$/;

/**
 * Reads a URL of the hub, `owner/name`, an id of the catalog or words; all but words with or without
 * `@quantization`, as which `owner/name:quantization` passes too. The API takes a quantization only with a
 * URL, so `owner/name` becomes one then.
 */
export function readWantedModel(argument: string): WantedModel {
  const text = argument.trim().replace(bareUrlPattern, hubUrl);
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

function withQuantization<Wanted extends WantedModel>(
  wanted: Wanted,
  quantization: string | undefined,
): Wanted {
  return quantization === undefined ? wanted : { ...wanted, quantization };
}
