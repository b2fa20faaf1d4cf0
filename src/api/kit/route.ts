import type * as z from 'zod';
import type { ZodType } from 'zod';
import type { ErrorCode } from '../../kernel/errors/errors.ts';
import type { Permission } from '../../kernel/permission.ts';

/** An uploaded file, or a form with a file in the field `file`. */
export type Upload =
  | {
      readonly contentType: 'application/octet-stream';
      /** True: other declared types are accepted too, except from web pages. */
      readonly takesAnyType?: true;
    }
  | {
      readonly contentType: 'multipart/form-data';
      /** The other fields of the form, for the OpenAPI document. */
      readonly fields: z.ZodObject;
    };

/** Declaration of an endpoint, used by the server, the client and the OpenAPI document. */
export interface Route {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** `{name}` is a parameter of one segment. `{name...}`, only at the end, takes the rest of the path. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  /** Permission that the token must have; one of them if there are several. Null if the endpoint needs no token. */
  readonly permission: Permission | readonly Permission[] | null;
  readonly params?: ZodType;
  readonly query?: ZodType;
  /** Request headers, in lower case. */
  readonly headers?: ZodType;
  /** JSON body. */
  readonly body?: ZodType;
  /**
   * Maximum size of the body, if it is far below the setting `limits.bodyBytes`, for example because callers need no
   * token.
   */
  readonly maxBodyBytes?: number;
  /** True if the body has secrets, so that it is never recorded. */
  readonly hasSecrets?: true;
  /** Raw body of any size, which the handler reads as a stream; replaces `body`. */
  readonly upload?: Upload;
  readonly result: ZodType;
  /** Media type of a result that is not JSON. */
  readonly resultType?: 'text/plain';
  /** Data of the server-sent events, for an endpoint that can stream. */
  readonly events?: ZodType;
  /** True if the endpoint always streams; `result` then has the same schema as `events`. */
  readonly isStreamOnly?: true;
  /** Schema of each line, for an endpoint that can stream JSON lines (`application/x-ndjson`). */
  readonly lines?: ZodType;
  /** Media types of bodies that are not JSON. If the result is `z.void()`, there are no others. */
  readonly mediaTypes?: readonly string[];
  /** Errors that only this endpoint can return, in addition to the common ones. */
  readonly errors: readonly ErrorCode[];
}

/** The declaration of a route, without method and path. */
type Declaration = Omit<Route, 'method' | 'path' | 'errors'> & Partial<Pick<Route, 'errors'>>;

/**
 * Declares an endpoint and keeps the types of its schemas.
 *
 * @param endpoint Method and path, such as `GET /api/v1/models/{model...}`.
 */
export function defineRoute<
  const Method extends Uppercase<Route['method']>,
  const Path extends string,
  const Declared extends Declaration,
>(endpoint: `${Method} ${Path}`, declared: Declared) {
  const [method, path] = endpoint.split(' ') as [Method, Path];
  return {
    errors: [] as readonly ErrorCode[],
    ...declared,
    method: method.toLowerCase() as Lowercase<Method>,
    path,
  };
}
