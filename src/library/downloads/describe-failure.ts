import { HearthError } from '../../kernel/errors/errors.ts';
import { errorCode } from '../../kernel/error-code.ts';
import { HttpFailure } from '../../platform/net/http-failure.ts';
import type { DownloadFailure } from './downloads.ts';

const again = 'Ask for the download again; it continues where it stopped.';

/** Converts the error of a failed job to a failure that clients get. */
export function describeFailure(error: unknown): DownloadFailure {
  const { type, code, message } = toHearthError(error);
  return { type, code, message };
}

function toHearthError(error: unknown): HearthError {
  if (error instanceof HearthError) return error;
  if (error instanceof HttpFailure) return httpError(error);
  const code = errorCode(error);
  return new HearthError(
    'internal',
    code === undefined
      ? `The download stopped because of a bug in Hearth; the log of the server has the details. ${again}`
      : `The files could not be written to the models folder (${code}). Check that Hearth may write to it, then: ${again}`,
  );
}

function httpError({ status, message }: HttpFailure): HearthError {
  if (status === 401 || status === 403) {
    return new HearthError(
      'gated_repository',
      `The hub does not allow this account to download the file (${status}). Set hub.token to a token of an account that has agreed to the terms of the repository, then: ${again}`,
    );
  }
  if (status === 404 || status === 410) {
    return new HearthError(
      'model_not_found',
      `The hub no longer has a file of this download (${status}). Cancel it and download the model again.`,
    );
  }
  return new HearthError('hub_unreachable', `The download was interrupted: ${message}. ${again}`);
}

/** True if an error is a bug of Hearth: then the log includes its stack. */
export function isUnexpected(error: unknown): boolean {
  return toHearthError(error).code === 'internal';
}
