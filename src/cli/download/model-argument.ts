/** Parsed argument of `hearth get`. */
export type ModelArgument =
  /** The body of a download request. */
  | { readonly kind: 'request'; readonly model: string; readonly quantization?: string }
  /** A catalog id, or search words. */
  | { readonly kind: 'words'; readonly words: string; readonly quantization?: string };

const hubUrl = 'https://huggingface.co/';
const urlPattern = /^(https?:\/\/[^@]+?)(?:@([\w.-]+))?$/i;
/** A URL without its scheme, as browsers show it. */
const bareUrlPattern = /^(?:www\.)?(?:huggingface\.co|hf\.co)\//i;
const repositoryPattern = /^([\w.-]+\/[\w.-]+?)(?:[@:]([\w.-]+))?$/;
/** Neither an id nor words; the server rejects it with a precise error. */
const addressPattern = /^\S*\/\S*$/;
const idPattern = /^([\w.-]+)@([\w.-]+)$/;

/**
 * Parses a hub URL, `owner/name`, a catalog id or search words. All but words may end with `@quantization`;
 * `owner/name:quantization` works too. The API accepts a quantization only with a URL, so `owner/name` with
 * one becomes a URL.
 */
export function parseModelArgument(argument: string): ModelArgument {
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

function withQuantization<Argument extends ModelArgument>(
  argument: Argument,
  quantization: string | undefined,
): Argument {
  return quantization === undefined ? argument : { ...argument, quantization };
}
