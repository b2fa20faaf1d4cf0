import type { ZodType } from 'zod';
import type { HearthError, NameField } from '../../contract/errors.ts';

/** An error as a surface sends it. In an event stream only the body is sent. */
export interface SerializedError<Body extends object = object> {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Body;
}

/** Writes errors in the format of a surface. */
export interface ErrorSerializer<Body extends object = object> {
  /** Schema of the body, for the OpenAPI document. */
  readonly schema: ZodType<Body>;
  readonly serialize: (error: HearthError) => SerializedError<Body>;
}

/** An error whose texts have the field names of one surface. */
export interface NamedError {
  readonly type: string;
  readonly code: string;
  readonly message: string;
  readonly param: string | undefined;
  readonly loading: HearthError['loading'];
}

interface SerializerOptions<Body extends object> {
  readonly schema: ZodType<Body>;
  readonly toBody: (error: NamedError) => Body;
  /** The surface's own name of a domain field, such as `previous_response_id` for `previousResponseId`. */
  readonly nameField: NameField;
}

/** A serializer that keeps Hearth's status codes and headers. */
export function createErrorSerializer<Body extends object>({
  schema,
  toBody,
  nameField,
}: SerializerOptions<Body>): ErrorSerializer<Body> {
  return {
    schema,
    serialize: (error) => {
      const { type, code, field, loading } = error;
      const param = error.param ?? (field === undefined ? undefined : nameField(field));
      return {
        status: error.status,
        headers: errorHeaders(error),
        body: toBody({ type, code, message: error.describe(nameField), param, loading }),
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
