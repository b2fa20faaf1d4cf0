import { open, readlink, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { HearthError } from '../../kernel/errors/errors.ts';
import { errorCode } from '../../kernel/error-code.ts';

/** Bytes that can be read at any position: a file, or in tests a buffer. */
export interface ByteSource {
  /** Name for messages; never a full path. */
  readonly name: string;
  readonly sizeBytes: number;
  /** Fills `target` from `position` and returns the number of bytes read; fewer only at the end of the file. */
  read(target: Buffer, position: number): Promise<number>;
}

/**
 * Opens a file for `use` and closes it afterwards. Rejects pipes, sockets and devices without opening them, since that
 * may block forever.
 *
 * @throws HearthError `missing_file` or `corrupt_file`; the errors of `use`.
 */
export async function withFileSource<Result>(
  path: string,
  use: (source: ByteSource) => Promise<Result>,
): Promise<Result> {
  const name = basename(path);
  const found = await stat(path).catch(async (error: unknown) => {
    const isLink = (await readlink(path).catch(() => null)) !== null;
    throw isLink ? brokenLink(name, error) : unreadableFile(name, error);
  });
  if (!found.isFile()) throw corruptFile(name, 'is not a regular file');
  const handle = await open(path, 'r').catch((error: unknown) => {
    throw unreadableFile(name, error);
  });
  try {
    return await use({
      name,
      sizeBytes: found.size,
      read: async (target, position) => {
        const { bytesRead } = await handle
          .read(target, 0, target.byteLength, position)
          .catch((error: unknown) => {
            throw unreadableFile(name, error);
          });
        return bytesRead;
      },
    });
  } finally {
    await handle.close();
  }
}

/** @param reason Follows "The model file x.gguf". */
export function corruptFile(name: string, reason: string): HearthError {
  return new HearthError('corrupt_file', `The model file ${name} ${reason}.`);
}

/** The message omits the link's target, since it is a path of the server. */
function brokenLink(name: string, cause: unknown): HearthError {
  return new HearthError(
    'missing_file',
    `The model file ${name} is a link to a file that no longer exists. Restore that file, or delete the model (hearth rm).`,
    { cause },
  );
}

function unreadableFile(name: string, cause: unknown): HearthError {
  const code = errorCode(cause) ?? 'unknown error';
  return code === 'ENOENT'
    ? new HearthError('missing_file', `The model file ${name} does not exist.`, { cause })
    : new HearthError('corrupt_file', `The model file ${name} can't be read (${code}).`, { cause });
}
