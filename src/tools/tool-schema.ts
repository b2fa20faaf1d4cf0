import { Ajv, type Options, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { default as addFormats } from 'ajv-formats';
import { CpuTimeError, withinCpuTime } from './within-cpu-time.ts';

type JsonSchema = Readonly<Record<string, unknown>>;

const maxSchemaCharacters = 64 * 1024;
const maxSchemaDepth = 64;
const maxFaultCharacters = 500;
const olderDialects = /^https?:\/\/json-schema\.org\/draft-0[4-7]\//u;

// Schemas of strangers have `$id`s that repeat, and must not be kept after the turn.
const ajvOptions: Options = { strict: false, addUsedSchema: false, logger: false };

let metaCheckers: { readonly current: Ajv; readonly older: Ajv } | undefined;

/** Why something can't be the schema of a tool's arguments; undefined where it can. */
export function schemaFault(schema: unknown): string | undefined {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) {
    return 'its schema is no object';
  }
  if (isDeeperThan(schema, maxSchemaDepth)) return 'its schema is nested too deep';
  if (JSON.stringify(schema).length > maxSchemaCharacters) return 'its schema is too large';
  if ('type' in schema && schema.type !== 'object') return 'its schema is not that of an object';
  metaCheckers ??= { current: newAjv(true), older: newAjv(false) };
  const plain = withoutDialect(schema as JsonSchema);
  const ajv = isOlder(schema as JsonSchema) ? metaCheckers.older : metaCheckers.current;
  return ajv.validateSchema(plain) === true ? undefined : 'its schema is no JSON schema';
}

/** Checks arguments against one tool's schema, which is compiled when the first arguments come. */
export interface ArgumentCheck {
  /**
   * Why the arguments don't fit, for the model to read; undefined where they do. Also undefined where the schema
   * refers to what is not in it or takes too long to check: the server then has the last word.
   */
  readonly fault: (args: JsonSchema) => string | undefined;
}

/** @param schema One that `schemaFault` finds nothing wrong with. */
export function createArgumentCheck(
  schema: JsonSchema,
  { limitMs, onUnchecked }: { limitMs: number; onUnchecked: (reason: string) => void },
): ArgumentCheck {
  let validate: ValidateFunction | undefined;
  let isUncheckable = false;

  return {
    fault: (args) => {
      if (isUncheckable) return undefined;
      try {
        return withinCpuTime(limitMs, () => {
          validate ??= newAjv(!isOlder(schema)).compile(withoutDialect(schema));
          return validate(args) ? undefined : describeFirst(validate);
        });
      } catch (error) {
        // Arguments that take too long may be at fault as well as the schema: no second chance for either.
        isUncheckable = true;
        onUnchecked(error instanceof CpuTimeError ? 'it took too long' : String(error));
        return undefined;
      }
    },
  };
}

function newAjv(isCurrent: boolean): Ajv {
  const ajv = isCurrent ? new Ajv2020(ajvOptions) : new Ajv(ajvOptions);
  addFormats.default(ajv, { mode: 'fast' });
  return ajv;
}

function isOlder({ $schema }: JsonSchema): boolean {
  return typeof $schema === 'string' && olderDialects.test($schema);
}

/** `$schema` has been read, and one that we don't know is no reason to refuse; `$async` would make a promise. */
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
  return `arguments${instancePath} ${message}${detail}`.slice(0, maxFaultCharacters);
}

function isDeeperThan(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth === 0 || Object.values(value).some((inner) => isDeeperThan(inner, depth - 1));
}
