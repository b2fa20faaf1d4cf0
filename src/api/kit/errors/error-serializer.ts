import {
  type ErrorCode,
  errorTable,
  type HearthError,
  type NameField,
} from '../../../kernel/errors/errors.ts';
import type { ZodType } from 'zod';
import { type ErrorBody, errorBodySchema } from '../error-body.ts';
import { omitUndefined } from '../../../kernel/omit-undefined.ts';

/** Patterns for domain fields with an API's names for them; `$1` is a group of the pattern. */
export type FieldNames = readonly (readonly [RegExp, string])[];

/** Creates a function that renames domain fields by the first matching pattern, or else to snake case. */
export function createNameField(names: FieldNames): NameField {
  return (field) => {
    const name = names.find(([pattern]) => pattern.test(field));
    return name === undefined ? toSnakeCase(field) : field.replace(...name);
  };
}

/** Converts a domain field to snake case: `integrations[0].serverUrl` becomes `integrations[0].server_url`. */
export function toSnakeCase(field: string): string {
  // Keys in brackets, such as header names, come from the client and stay unchanged.
  return field.replace(/\[[^\]]*\]|[A-Z]/g, (match) =>
    match.startsWith('[') ? match : `_${match.toLowerCase()}`,
  );
}

/** An error as an API sends it. In an event stream only the body is sent. */
export interface SerializedError<Body extends object = object> {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Body;
}

/** Formats errors for an API. */
export interface ErrorSerializer<Body extends object = object> {
  /** Schema of the body, for the OpenAPI document. */
  readonly schema: ZodType<Body>;
  /** @param requestId Id of the failed request, for formats that have it in the body. */
  readonly serialize: (error: HearthError, requestId?: string) => SerializedError<Body>;
}

/** An error whose texts use one API's field names. */
export interface NamedError {
  readonly type: string;
  readonly code: ErrorCode;
  readonly message: string;
  readonly param: string | undefined;
  readonly loading: HearthError['loading'];
  readonly promptSize: HearthError['promptSize'];
  readonly requestId: string | undefined;
}

interface SerializerOptions<Body extends object> {
  readonly schema: ZodType<Body>;
  readonly toBody: (error: NamedError) => Body;
  /** The API's own name of a domain field, such as `previous_response_id` for `previousResponseId`. */
  readonly nameField: NameField;
  /** Maps an error to the API's status; Hearth's status by default. */
  readonly toStatus?: (code: ErrorCode) => number;
  /** Additional headers. */
  readonly toHeaders?: (code: ErrorCode) => Readonly<Record<string, string>>;
}

/** Creates a serializer that sends Hearth's headers and, unless overridden, Hearth's status codes. */
export function createErrorSerializer<Body extends object>({
  schema,
  toBody,
  nameField,
  toStatus = (code) => errorTable[code].status,
  toHeaders = () => ({}),
}: SerializerOptions<Body>): ErrorSerializer<Body> {
  return {
    schema,
    serialize: (error, requestId) => {
      const { type, code, field, loading, promptSize } = error;
      const param = error.param ?? (field === undefined ? undefined : nameField(field));
      return {
        status: toStatus(code),
        headers: { ...errorHeaders(error), ...toHeaders(code) },
        body: toBody({
          type,
          code,
          message: error.describe(nameField),
          param,
          loading,
          promptSize,
          requestId,
        }),
      };
    },
  };
}

function errorHeaders({ code, retryAfterSeconds }: HearthError): Record<string, string> {
  return {
    ...(retryAfterSeconds === undefined
      ? {}
      : { 'Retry-After': String(Math.max(1, Math.ceil(retryAfterSeconds))) }),
    ...(code === 'invalid_api_key' ? { 'WWW-Authenticate': 'Bearer' } : {}),
  };
}

/** Creates a serializer for Hearth's own format, which omits `param` if no field is at fault. */
export function createHearthErrorSerializer(nameField: NameField): ErrorSerializer<ErrorBody> {
  return createErrorSerializer({
    schema: errorBodySchema,
    nameField,
    toBody: ({ type, message, code, param, loading }) => ({
      error: { type, message, code, ...omitUndefined({ param, loading }) },
    }),
  });
}
