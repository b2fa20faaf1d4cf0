import type { ToolContent } from '../conversation/content.ts';

/** Tokens that the note at the end of a cut result takes at most. */
const noteTokens = 64;
/** Each of them tokenizes what is left, which is less each time. */
const maxAttempts = 4;

export interface FittedResult {
  readonly content: readonly ToolContent[];
  /** Upper bound of the tokens of its texts. */
  readonly tokens: number;
}

/**
 * Cuts the texts of a tool's result to a number of tokens and adds a note that names the tool and the sizes. What
 * fits is returned unchanged.
 *
 * @param countTokens Tokens of a text, as the model reads it.
 */
export async function fitToolResult(
  tool: string,
  content: readonly ToolContent[],
  maxTokens: number,
  countTokens: (text: string) => Promise<number>,
): Promise<FittedResult> {
  const whole = textOf(content);
  // A token has a byte at least, so that most results need no counting.
  const bytes = Buffer.byteLength(whole);
  if (bytes <= maxTokens) return { content, tokens: bytes };
  const tokens = await countTokens(whole);
  if (tokens <= maxTokens) return { content, tokens };
  const budget = Math.max(0, maxTokens - noteTokens);
  let characters = Math.floor((whole.length * budget) / tokens);
  const withoutText = cut(content, 0);
  let kept = withoutText;
  for (let attempt = 0; attempt < maxAttempts && characters > 0; attempt += 1) {
    kept = cut(content, characters);
    const count = await countTokens(textOf(kept));
    if (count <= budget) break;
    kept = withoutText;
    characters = Math.floor((characters * budget * 0.9) / count);
  }
  const text = `[The result of ${tool} was cut to fit the context of the model: ${textOf(kept).length} of ${whole.length} characters are shown.]`;
  return { content: [...kept, { type: 'text', text }], tokens: maxTokens };
}

function textOf(content: readonly ToolContent[]): string {
  return content.map((block) => textOfBlock(block) ?? '').join('');
}

function textOfBlock({ type, text, resource, uri }: ToolContent): string | undefined {
  if (type === 'text' && typeof text === 'string') return text;
  if (type === 'resource_link' && typeof uri === 'string') return uri;
  return type === 'resource' && hasText(resource) ? resource.text : undefined;
}

/** Keeps the first characters; blocks without a text stay. */
function cut(content: readonly ToolContent[], characters: number): readonly ToolContent[] {
  let left = characters;
  return content.flatMap((block) => {
    const text = textOfBlock(block);
    if (text === undefined) return [block];
    const shown = text.slice(0, left).toWellFormed();
    left -= shown.length;
    if (shown.length === text.length) return [block];
    return shown === '' ? [] : [{ type: 'text', text: shown }];
  });
}

export function hasText(resource: unknown): resource is { readonly text: string } {
  return (
    typeof resource === 'object' &&
    resource !== null &&
    'text' in resource &&
    typeof resource.text === 'string'
  );
}
