import { HearthError, invalidValue } from '../../kernel/errors/errors.ts';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import type { RequestContext } from '../../kernel/request/request-context.ts';
import type { ApiServices } from '../services.ts';

/** A file in a message: its content, or the id of an uploaded file. */
export interface MessageFile {
  readonly name?: string | null | undefined;
  /** The content in base64, or a `data:` URL. */
  readonly data?: string | null | undefined;
  readonly fileId?: string | null | undefined;
  /** Path of the fields above in the request. */
  readonly params: { readonly data: string; readonly fileId: string };
}

/** Characters that are neither base64 nor base64url. */
const notBase64 = /[^A-Za-z0-9+/_\-=\s]/;

export interface ReadFile {
  readonly name: string;
  readonly text: string;
}

/**
 * Reads the text of a file in a message.
 *
 * @throws HearthError `invalid_document`, `invalid_value`, `file_not_found`, `queue_full`.
 */
export async function readMessageFile(
  { documents, batches, store }: Pick<ApiServices, 'documents' | 'batches' | 'store'>,
  { name, data, fileId, params }: MessageFile,
  { caller: { tokenId: ownerId }, signal }: RequestContext,
): Promise<ReadFile> {
  if ((data == null) === (fileId == null))
    throw invalidValue(params.data, 'A file needs either its content or its id.');
  const param = fileId == null ? params.data : params.fileId;
  try {
    const file =
      fileId == null
        ? { name: name || 'document', content: contentOf(data ?? '') }
        : { ...(await batches.findFile(fileId, ownerId)), content: store.files.read(fileId) };
    const { text } = await documents.read(file.name, file.content, { ownerId, signal });
    return { name: file.name, text };
  } catch (error) {
    if (!(error instanceof HearthError)) throw error;
    const { retryAfterSeconds } = error;
    throw new HearthError(error.code, (field) => error.describe(field), {
      param,
      cause: error,
      ...omitUndefined({ retryAfterSeconds }),
    });
  }
}

/** @throws HearthError `invalid_value` */
async function* contentOf(data: string): AsyncGenerator<Uint8Array> {
  const base64 = data.replace(/^data:[^,]{0,200};base64,/, '');
  if (notBase64.test(base64))
    throw new HearthError('invalid_value', 'The content of the file is not base64.');
  yield Buffer.from(base64, 'base64');
}
