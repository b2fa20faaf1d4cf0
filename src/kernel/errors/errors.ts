import { errorTable, type ErrorCode } from './error-table.ts';
import type { ErrorType } from './error-type.ts';

export { errorTable, type ErrorCode } from './error-table.ts';

/** Turns the path of a domain field, such as `previousResponseId`, into the name that a client knows it by. */
export type NameField = (field: string) => string;

/** A message, or a function of how the reader's API names the fields that it mentions. */
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
  /** Kept for the log, never sent. */
  readonly cause?: unknown;
}

export interface PromptSize {
  readonly tokens: number;
  /** True if the prompt was not counted to its end. */
  readonly isLowerBound: boolean;
  /** Tokens that the context holds. */
  readonly maxTokens: number;
}

const domainName: NameField = (field) => field;

/**
 * An error that a client gets to see. The message names the value that was wrong and what is allowed; it contains
 * no stack and no path outside the home folder.
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

  /** The message with each field under the name that the reader's API has for it. */
  describe(name: NameField): string {
    return this.#describe(name);
  }
}
