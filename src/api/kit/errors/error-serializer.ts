import {
  type ErrorCode,
  errorTable,
  type HearthError,
  type NameField,
} from '../../../kernel/errors/errors.ts';
import type { ZodType } from 'zod';
import { type ErrorBody, errorBodySchema } from '../error-body.ts';
import { omitUndefined } from '../../../kernel/omit-undefined.ts';

/** Domain fields, and the names of an API for them, with `$1` for a group of the pattern. */
export type FieldNames = readonly (readonly [RegExp, string])[];

/** Names domain fields: by the first pattern that matches, or in snake case. */
export function createNameField(names: FieldNames): NameField {
  return (field) => {
    const name = names.find(([pattern]) => pattern.test(field));
    return name === undefined ? toSnakeCase(field) : field.replace(...name);
  };
}

/** A domain field in snake case: `integrations[0].serverUrl` becomes `integrations[0].server_url`. */
export function toSnakeCase(field: string): string {
  // Keys in brackets, such as the name of a header, come from the client.
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

/** Writes errors in the format of an API. */
export interface ErrorSerializer<Body extends object = object> {
  /** Schema of the body, for the OpenAPI document. */
  readonly schema: ZodType<Body>;
  /** @param requestId Id of the request that failed, for formats that repeat it in the body. */
  readonly serialize: (error: HearthError, requestId?: string) => SerializedError<Body>;
}

/** An error whose texts have the field names of one API. */
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
  /** The API's own status codes; Hearth's by default. */
  readonly toStatus?: (code: ErrorCode) => number;
  /** Headers besides Hearth's. */
  readonly toHeaders?: (code: ErrorCode) => Readonly<Record<string, string>>;
}

/** A serializer that keeps Hearth's headers, and its status codes by default. */
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

/** Errors in Hearth's own format; without `param` if no field is at fault. */
export function createHearthErrorSerializer(nameField: NameField): ErrorSerializer<ErrorBody> {
  return createErrorSerializer({
    schema: errorBodySchema,
    nameField,
    toBody: ({ type, message, code, param, loading }) => ({
      error: { type, message, code, ...omitUndefined({ param, loading }) },
    }),
  });
}
