import { Ajv, type Options, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { default as addFormats } from 'ajv-formats';
import { createHash } from 'node:crypto';
import { isNestedDeeper } from '../kernel/nested-deeper.ts';
import { CpuTimeError, withinCpuTime } from './within-cpu-time.ts';

type JsonSchema = Readonly<Record<string, unknown>>;

/** A schema that can't be used to check arguments. The message is the reason, to follow the words "its schema". */
export class ToolSchemaError extends Error {
  override readonly name = 'ToolSchemaError';
}

/** The check can't end: the schema refers to itself endlessly, or the arguments are nested too deeply. */
export class EndlessCheckError extends Error {
  override readonly name = 'EndlessCheckError';
}

/** The compiled schema of a tool's arguments. */
export interface ToolSchema {
  /**
   * @returns The reason why the arguments are invalid, as a text for the model; undefined if they are valid.
   * @throws CpuTimeError, EndlessCheckError
   */
  findIssue(args: JsonSchema): string | undefined;
}

const maxSchemaCharacters = 64 * 1024;
const maxSchemaDepth = 64;
const maxIssueCharacters = 500;
const maxReasonCharacters = 200;
/** CPU time to compile one schema, and to check arguments once. */
const cpuLimitMs = 250;
const olderDialects = /^https?:\/\/json-schema\.org\/draft-0[4-7]\//u;

// `$id` is not registered, since servers reuse it. Schemas were already validated by the instances of `metaSchemas`.
const ajvOptions: Options = {
  strict: false,
  addUsedSchema: false,
  logger: false,
  validateSchema: false,
};

let metaSchemas: { readonly current: Ajv; readonly older: Ajv } | undefined;

/**
 * Compiles argument schemas. Keeps them in a least-recently-used cache, since a plugin lists the same schemas in each
 * turn.
 */
export class ToolSchemaCompiler {
  readonly #maxCharacters: number;
  readonly #limitMs: number;
  /** Compiled schemas by the hash of their text, the most recently used last. */
  readonly #compiled = new Map<string, { readonly schema: ToolSchema; readonly size: number }>();
  #characters = 0;

  /**
   * @param maxCharacters Maximum number of characters of the cached schemas.
   * @param limitMs CPU time to compile one schema, and to check arguments once.
   */
  constructor(maxCharacters = 2 * 1024 * 1024, limitMs = cpuLimitMs) {
    this.#maxCharacters = maxCharacters;
    this.#limitMs = limitMs;
  }

  /** @throws ToolSchemaError */
  compile(schema: unknown): ToolSchema {
    const { valid, json } = validated(schema);
    const key = createHash('sha256').update(json).digest('base64');
    const known = this.#compiled.get(key);
    if (known !== undefined) {
      this.#compiled.delete(key);
      this.#compiled.set(key, known);
      return known.schema;
    }
    const fresh = compile(valid, this.#limitMs);
    this.#compiled.set(key, { schema: fresh, size: json.length });
    this.#characters += json.length;
    for (const [oldest, { size }] of this.#compiled) {
      if (this.#characters <= this.#maxCharacters) break;
      this.#compiled.delete(oldest);
      this.#characters -= size;
    }
    return fresh;
  }
}

const shared = new ToolSchemaCompiler();

/** Compiles the schema of a tool's arguments. @throws ToolSchemaError */
export function compileToolSchema(schema: unknown): ToolSchema {
  return shared.compile(schema);
}

function validated(schema: unknown): { readonly valid: JsonSchema; readonly json: string } {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) {
    throw new ToolSchemaError('is not an object');
  }
  if (isNestedDeeper(schema, maxSchemaDepth)) throw new ToolSchemaError('is nested too deep');
  const json = JSON.stringify(schema);
  if (json.length > maxSchemaCharacters) throw new ToolSchemaError('is too large');
  if ('type' in schema && schema.type !== 'object') {
    throw new ToolSchemaError('does not describe an object');
  }
  const valid = schema as JsonSchema;
  metaSchemas ??= { current: createAjv(true), older: createAjv(false) };
  const ajv = isOlder(valid) ? metaSchemas.older : metaSchemas.current;
  if (ajv.validateSchema(withoutDialect(valid)) !== true) {
    throw new ToolSchemaError('is not a JSON schema');
  }
  return { valid, json };
}

function compile(schema: JsonSchema, limitMs: number): ToolSchema {
  const plain = withoutDialect(schema);
  const compileWith = (options: Options): ValidateFunction =>
    withinCpuTime(limitMs, () => createAjv(!isOlder(schema), options).compile(plain));
  let validate: ValidateFunction;
  try {
    validate = compileWith({});
  } catch (error) {
    try {
      if (error instanceof CpuTimeError) throw error;
      // Patterns from other languages may be valid only without the flag `u`.
      validate = compileWith({ unicodeRegExp: false });
    } catch {
      const reason = error instanceof CpuTimeError ? 'it takes too long' : messageOf(error);
      throw new ToolSchemaError(`can't be compiled: ${reason.slice(0, maxReasonCharacters)}`);
    }
  }
  return {
    findIssue: (args) => {
      try {
        return withinCpuTime(limitMs, () => (validate(args) ? undefined : describeFirst(validate)));
      } catch (error) {
        throw isStackOverflow(error) ? new EndlessCheckError(messageOf(error)) : error;
      }
    },
  };
}

/** Checks the name, since an error of another context is not an instance of this context's `RangeError`. */
function isStackOverflow(error: unknown): boolean {
  return (error as { readonly name?: unknown } | undefined)?.name === 'RangeError';
}

function messageOf(error: unknown): string {
  // An error of another context is not an instance of this context's `Error`.
  const { message } = error as { readonly message?: unknown };
  return typeof message === 'string' ? message : String(error);
}

function createAjv(isCurrent: boolean, options: Options = {}): Ajv {
  const all = { ...ajvOptions, ...options };
  const ajv = isCurrent ? new Ajv2020(all) : new Ajv(all);
  addFormats.default(ajv, { mode: 'fast' });
  return ajv;
}

function isOlder({ $schema }: JsonSchema): boolean {
  return typeof $schema === 'string' && olderDialects.test($schema);
}

/** Removes `$schema`, which was handled before and may be unknown, and `$async`, which would return a promise. */
function withoutDialect({ $schema: _dialect, $async: _async, ...rest }: JsonSchema): JsonSchema {
  return rest;
}

function describeFirst({ errors }: ValidateFunction): string {
  const [error] = errors ?? [];
  if (error === undefined) return 'the arguments do not fit the schema';
  const { instancePath, message = 'does not fit the schema', params, keyword } = error;
  const detail =
    keyword === 'additionalProperties'
      ? `: ${String(params['additionalProperty'])}`
      : keyword === 'enum'
        ? `: ${JSON.stringify(params['allowedValues'])}`
        : '';
  return `arguments${instancePath} ${message}${detail}`.slice(0, maxIssueCharacters);
}
