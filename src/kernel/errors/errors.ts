import { errorTable, type ErrorCode } from './error-table.ts';
import type { ErrorType } from './error-type.ts';

export { errorTable, type ErrorCode } from './error-table.ts';

/** Converts the path of a domain field, such as `previousResponseId`, to the name in the client's API. */
export type NameField = (field: string) => string;

/** A message, or a function that creates it with the field names of the reader's API. */
type ErrorMessage = string | ((name: NameField) => string);

interface ErrorDetail {
  /** Path of the field at fault as the client sent it, such as `input[0].data_url`. */
  readonly param?: string;
  /** Path of the field at fault in the domain, such as `messages[0].content[1]`; each API maps it to a `param`. */
  readonly field?: string;
  /** Sent as the `Retry-After` header. */
  readonly retryAfterSeconds?: number;
  /** Progress of the load that the request waited for, 0 to 1. */
  readonly loading?: { readonly progress: number };
  /** Size of a prompt that is too long. */
  readonly promptSize?: PromptSize;
  /** For the log; never sent. */
  readonly cause?: unknown;
}

export interface PromptSize {
  readonly tokens: number;
  /** True if counting stopped before the end of the prompt. */
  readonly isLowerBound: boolean;
  /** Context size in tokens. */
  readonly maxTokens: number;
}

const domainName: NameField = (field) => field;

/**
 * An error that clients may see. The message names the wrong value and the allowed ones. It has no stack and no path
 * outside the home folder.
 */
export class HearthError extends Error {
  override readonly name = 'HearthError';
  readonly code: ErrorCode;
  readonly param: string | undefined;
  readonly field: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly loading: { readonly progress: number } | undefined;
  readonly promptSize: PromptSize | undefined;
  readonly #describe: (name: NameField) => string;

  constructor(code: ErrorCode, message: ErrorMessage, detail: ErrorDetail = {}) {
    const describe = typeof message === 'string' ? () => message : message;
    super(describe(domainName), detail.cause === undefined ? undefined : { cause: detail.cause });
    this.#describe = describe;
    this.code = code;
    this.param = detail.param;
    this.field = detail.field;
    this.retryAfterSeconds = detail.retryAfterSeconds;
    this.loading = detail.loading;
    this.promptSize = detail.promptSize;
  }

  get type(): ErrorType {
    return errorTable[this.code].type;
  }

  get status(): number {
    return errorTable[this.code].status;
  }

  /** Returns the message with the field names of the reader's API. */
  describe(name: NameField): string {
    return this.#describe(name);
  }
}

/** The error for an invalid value. @param param Path of the field as the client sent it. */
export function invalidValue(param: string, message: string): HearthError {
  return new HearthError('invalid_value', message, { param });
}
