import { STATUS_CODES } from 'node:http';
import type { ZodType } from 'zod';
import { errorTable, HearthError, type ErrorCode } from '../../../kernel/errors/errors.ts';
import type { Route } from '../route.ts';
import type { ErrorSerializer } from '../errors/error-serializer.ts';
import type { ComponentSchemas, JsonObject } from './component-schemas.ts';

/** Errors of the guards, which every endpoint may return. */
const guardErrors = [
  'invalid_api_key',
  'forbidden',
  'internal',
  'store_unavailable',
] as const satisfies readonly ErrorCode[];
const bodyErrors = [
  'invalid_json',
  'missing_required_parameter',
  'invalid_type',
  'invalid_value',
  'body_too_large',
  'unsupported_media_type',
] as const satisfies readonly ErrorCode[];

/** Body errors that endpoints without a body can't return. */
const ignoredBodyErrors = ['unsupported_media_type', 'body_too_large'] as const;

/** Statuses whose responses may have a `Retry-After` header. */
const retryStatuses = new Set([429, 503, 529]);

/** Collects the error responses of a document (`components.responses`), one for each status and format. */
export class ErrorResponses {
  readonly #schemas: ComponentSchemas;
  readonly #components = new Map<
    string,
    { readonly serializer: ErrorSerializer; readonly codes: Set<ErrorCode> }
  >();

  constructor(schemas: ComponentSchemas) {
    this.#schemas = schemas;
  }

  /** The error responses of a route by status, each with its codes. */
  responsesOf(route: Route, serializer: ErrorSerializer): JsonObject {
    const codes = new Set<ErrorCode>([
      ...route.errors,
      ...guardErrors,
      ...(route.params === undefined && route.query === undefined
        ? []
        : (['invalid_value'] as const)),
      ...(route.body === undefined ? [] : bodyErrors),
      ...(route.method === 'get' || route.method === 'delete' ? [] : ignoredBodyErrors),
    ]);
    const responses: JsonObject = {};
    const statusOf = (code: ErrorCode): number => statusIn(serializer, code);
    for (const status of new Set([...codes].map(statusOf))) {
      const ofStatus = [...codes].filter((code) => statusOf(code) === status);
      responses[status] = {
        $ref: `#/components/responses/${this.#add(status, ofStatus, serializer)}`,
        description: ofStatus.map((code) => `\`${code}\`: ${errorTable[code].when}`).join(' '),
      };
    }
    return responses;
  }

  /** All responses so far, by name in alphabetical order. */
  all(): Readonly<Record<string, JsonObject>> {
    return Object.fromEntries(
      [...this.#components]
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, { serializer, codes }]) => [name, this.#toComponent(serializer, codes)]),
    );
  }

  #add(status: number, codes: readonly ErrorCode[], serializer: ErrorSerializer): string {
    const name = `${formatName(serializer.schema)}${statusName(status).replaceAll(/\W/g, '')}`;
    const component = this.#components.get(name) ?? { serializer, codes: new Set<ErrorCode>() };
    for (const code of codes) component.codes.add(code);
    this.#components.set(name, component);
    return name;
  }

  #toComponent(serializer: ErrorSerializer, codes: ReadonlySet<ErrorCode>): JsonObject {
    const [status = 500] = [...codes].map((code) => statusIn(serializer, code));
    const examples = Object.fromEntries(
      Object.keys(errorTable)
        .filter((code): code is ErrorCode => codes.has(code as ErrorCode))
        .map((code) => [code, toExample(code, serializer)]),
    );
    return {
      description: `${statusName(status)}.`,
      ...(retryStatuses.has(status) ? { headers: { 'Retry-After': retryAfter } } : {}),
      content: {
        'application/json': {
          schema: this.#schemas.toSchema(serializer.schema, 'output'),
          examples,
        },
      },
    };
  }
}

const retryAfter = {
  description: 'Seconds after which the request may succeed.',
  schema: { type: 'integer', minimum: 1 },
};

function toExample(code: ErrorCode, serializer: ErrorSerializer) {
  const { when } = errorTable[code];
  return { summary: when, value: serializer.serialize(new HearthError(code, when)).body };
}

/** Empty for Hearth's own format (`Error`), `OpenAi` for `OpenAiError`. */
function formatName(schema: ZodType): string {
  return (schema.meta()?.id ?? '').replace(/Error$/, '');
}

/** The status of an error in a format. */
function statusIn(serializer: ErrorSerializer, code: ErrorCode): number {
  return serializer.serialize(new HearthError(code, '')).status;
}

function statusName(status: number): string {
  // Anthropic's own status.
  if (status === 529) return 'Overloaded';
  return STATUS_CODES[status] ?? String(status);
}
