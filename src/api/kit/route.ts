import type * as z from 'zod';
import type { ZodType } from 'zod';
import type { ErrorCode } from '../../kernel/errors/errors.ts';
import type { Permission } from '../../kernel/permission.ts';

/** A file, or a form with it in the field `file`. */
export type Upload =
  | {
      readonly contentType: 'application/octet-stream';
      /** True if clients that declare another type are served, except web pages. */
      readonly takesAnyType?: true;
    }
  | {
      readonly contentType: 'multipart/form-data';
      /** The other fields of the form, for the OpenAPI document. */
      readonly fields: z.ZodObject;
    };

/** An endpoint: everything that the server, the client and the OpenAPI document need to know about it. */
export interface Route {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** `{name}` is a parameter of one segment; `{name...}`, at the end only, takes the rest of the path. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  /** Permission that the token must have, or several of which one is enough; null for an endpoint that needs no token. */
  readonly permission: Permission | readonly Permission[] | null;
  readonly params?: ZodType;
  readonly query?: ZodType;
  /** Request headers, in lower case. */
  readonly headers?: ZodType;
  /** JSON body. */
  readonly body?: ZodType;
  /** Maximum size of the body where it is far below the setting `limits.bodyBytes`, such as for callers without a token. */
  readonly maxBodyBytes?: number;
  /** True if the body has secrets, which are recorded nowhere. */
  readonly hasSecrets?: true;
  /** Raw body of any size, which the handler reads as a stream; instead of `body`. */
  readonly upload?: Upload;
  readonly result: ZodType;
  /** Media type of a result that is not JSON. */
  readonly resultType?: 'text/plain';
  /** Data of the server-sent events, for an endpoint that can stream. */
  readonly events?: ZodType;
  /** True if it always streams: `result` has the same schema as `events`. */
  readonly isStreamOnly?: true;
  /** Lines of a stream of JSON lines (`application/x-ndjson`), for an endpoint that can stream so. */
  readonly lines?: ZodType;
  /** Media types of the bodies that are not JSON; an endpoint with the result `z.void()` has no other. */
  readonly mediaTypes?: readonly string[];
  /** Errors of this endpoint, besides the errors of every endpoint. */
  readonly errors: readonly ErrorCode[];
}

/** Declares an endpoint and keeps the types of its schemas. */
export function defineRoute<const Declared extends Route>(declared: Declared): Declared {
  return declared;
}
