import type { ChatGeneration, ToolDefinition } from '../../engine.ts';

/**
 * True if the request requires a call. The engine's own `tool_choice: "required"` lets the model write any amount of
 * text before the call. So Hearth uses a grammar instead, which makes the whole answer after the reasoning a JSON
 * object, `{"name": ..., "arguments": ...}`.
 */
export function isCallForced({ toolChoice }: Pick<ChatGeneration, 'toolChoice'>): boolean {
  return toolChoice === 'required' || typeof toolChoice === 'object';
}

/**
 * True if the answer may be a call or text in the requested format. The engine's own grammar for a format allows no
 * calls, so Hearth makes both alternatives of one schema.
 */
export function isCallOrFormat({
  tools = [],
  toolChoice = 'auto',
  responseFormat,
}: Pick<ChatGeneration, 'tools' | 'toolChoice' | 'responseFormat'>): boolean {
  const hasFormat = responseFormat !== undefined && responseFormat.type !== 'text';
  return hasFormat && tools.length > 0 && toolChoice === 'auto';
}

/**
 * @param tools Their schemas must suit the engine's grammars.
 * @param answer Schema of an answer that is allowed instead of a call.
 */
export function forcedCallSchema(
  tools: readonly ToolDefinition[],
  answer?: ToolDefinition['parameters'],
): object {
  const definitions: Record<string, unknown> = {};
  const anyOf = tools.map(({ name, parameters }, index) => {
    const { $defs = {}, ...schema } = withOwnDefinitions(parameters, `tool${index}`);
    Object.assign(definitions, $defs);
    return {
      type: 'object',
      properties: { name: { const: name }, arguments: { type: 'object', ...schema } },
      required: ['name', 'arguments'],
    };
  });
  if (answer === undefined) return { anyOf, $defs: definitions };
  const { $defs = {}, ...format } = withOwnDefinitions(answer, 'answer');
  return { anyOf: [...anyOf, format], $defs: Object.assign(definitions, $defs) };
}

/** Prefixes the schema's definitions, since the combined schema has the definitions of all tools at its root. */
function withOwnDefinitions(
  { $defs = {}, ...schema }: ToolDefinition['parameters'],
  prefix: string,
): ToolDefinition['parameters'] {
  const renamed = Object.fromEntries(
    Object.entries($defs as object).map(([name, definition]) => [prefix + name, definition]),
  );
  return JSON.parse(
    JSON.stringify({ ...schema, $defs: renamed }).replaceAll(
      '"$ref":"#/$defs/',
      `"$ref":"#/$defs/${prefix}`,
    ),
  );
}

const callOpening = /^\s*\{\s*"name"\s*:\s*("(?:[^"\\]|\\.)*")\s*,\s*"arguments"\s*:\s*(?=\S)/;
/** A brace that may end the outer object. */
const possibleEnd = /\s*\}?\s*$/;

export interface CallPiece {
  /** Only in the first piece of a call. */
  readonly name?: string;
  readonly argumentsJson: string;
}

/** Reads the text that `forcedCallSchema` allows, piece by piece. */
export class ForcedCallReader {
  #pending = '';
  #hasName = false;

  /** Returns a piece of the call; undefined if nothing is known yet. */
  push(text: string): CallPiece | undefined {
    this.#pending += text;
    if (this.#hasName) return this.#takeArguments();
    const [match, name] = callOpening.exec(this.#pending) ?? [];
    if (match === undefined || name === undefined) return undefined;
    this.#hasName = true;
    this.#pending = this.#pending.slice(match.length);
    const parsed: unknown = JSON.parse(name);
    return { name: String(parsed), argumentsJson: this.#takeArguments()?.argumentsJson ?? '' };
  }

  /** The rest of a call that the token limit has cut; undefined if nothing is left. */
  endCut(): CallPiece | undefined {
    const argumentsJson = this.#hasName ? this.#pending : '';
    this.#pending = '';
    return argumentsJson === '' ? undefined : { argumentsJson };
  }

  #takeArguments(): CallPiece | undefined {
    const end = possibleEnd.exec(this.#pending)?.index ?? this.#pending.length;
    const argumentsJson = this.#pending.slice(0, end);
    this.#pending = this.#pending.slice(end);
    return argumentsJson === '' ? undefined : { argumentsJson };
  }
}

interface Read {
  /** Text of an answer. */
  readonly text?: string;
  readonly call?: CallPiece | undefined;
}

/** Reads JSON that is a call of `forcedCallSchema` or an answer in a format, piece by piece. */
export class CallOrAnswerReader {
  readonly #openings: readonly string[];
  #pending = '';
  #kind: 'unknown' | 'call' | 'answer' = 'unknown';
  readonly #call = new ForcedCallReader();

  /** @param toolNames Tools that can be called. */
  constructor(toolNames: readonly string[]) {
    this.#openings = toolNames.map((name) => `{"name":${JSON.stringify(name)},"arguments":`);
  }

  push(text: string): Read {
    if (this.#kind === 'call') return { call: this.#call.push(text) };
    if (this.#kind === 'answer') return { text };
    this.#pending += text;
    this.#kind = this.#kindOf(this.#pending);
    if (this.#kind === 'unknown') return {};
    const pending = this.#pending;
    this.#pending = '';
    return this.#kind === 'call' ? { call: this.#call.push(pending) } : { text: pending };
  }

  /**
   * Returns the held text.
   * @param isCut True if the token limit has cut the answer.
   */
  end(isCut: boolean): Read {
    if (this.#kind === 'call') return isCut ? { call: this.#call.endCut() } : {};
    return { text: this.#pending };
  }

  #kindOf(text: string): 'unknown' | 'call' | 'answer' {
    const left = this.#openings.map((opening) => unread(opening, text));
    if (left.includes(0)) return 'call';
    return left.every((length) => length === undefined) ? 'answer' : 'unknown';
  }
}

/**
 * Number of the opening's characters that the text still lacks; undefined if the text begins differently. Ignores
 * white space in the text.
 */
function unread(opening: string, text: string): number | undefined {
  let position = 0;
  for (const character of text) {
    if (position === opening.length) return 0;
    if (opening.startsWith(character, position)) position += character.length;
    else if (!/\s/.test(character)) return undefined;
  }
  return opening.length - position;
}
