import { Readable } from 'node:stream';
import { Busboy } from '@fastify/busboy';
import { HearthError } from '../../contract/errors.ts';
import type { UploadBody } from './upload-body.ts';

/** The file of a form, whose bytes must be read. */
export interface FormFile {
  /** Absent if the form has none. */
  readonly name: string | undefined;
  readonly bytes: AsyncIterable<Uint8Array>;
}

const limits = { files: 8, fields: 32, parts: 64, fieldSize: 4096, headerPairs: 64 };

/**
 * Reads a form (`multipart/form-data`, RFC 7578) with a file, which is taken as it arrives. The fields may come
 * before and after the file; other files are ignored.
 *
 * @param takeFile Called once, with the file of the field `file`.
 * @returns The other fields.
 * @throws HearthError `invalid_value` for a form that breaks off; `missing_required_parameter` without a file; the
 *   errors of `takeFile`.
 */
export async function readForm(
  { body, contentType }: UploadBody,
  takeFile: (file: FormFile) => Promise<unknown>,
): Promise<ReadonlyMap<string, string>> {
  const fields = new Map<string, string>();
  const form = openForm(contentType);
  const source = Readable.from(body);
  const taken: Promise<unknown>[] = [];
  try {
    await new Promise<void>((resolve, reject) => {
      form.on('field', (name, value) => void fields.set(name, value));
      form.on('file', (field, stream, name) => {
        // The reader of the bytes gets the error; without a listener it would end the process.
        stream.on('error', () => {});
        source.once('error', (error) => stream.destroy(error));
        if (field !== 'file' || taken.length > 0) return void stream.resume();
        const take = async () => takeFile({ name, bytes: wholeBytes(stream) });
        const file = take();
        file.catch(reject);
        taken.push(file);
      });
      form.once('finish', resolve);
      form.once('error', (error) => reject(broken(error)));
      source.once('error', reject);
      source.pipe(form);
    });
    await Promise.all(taken);
  } catch (error) {
    source.unpipe(form);
    form.destroy();
    await Promise.allSettled(taken);
    throw error;
  }
  if (taken.length > 0) return fields;
  throw new HearthError('missing_required_parameter', 'The form has no file in the field "file".', {
    param: 'file',
  });
}

function openForm(contentType = '') {
  try {
    return new Busboy({ headers: { 'content-type': contentType }, limits });
  } catch (error) {
    throw broken(error);
  }
}

async function* wholeBytes(stream: Readable): AsyncGenerator<Uint8Array> {
  try {
    for await (const piece of stream) yield piece as Uint8Array;
  } catch (error) {
    throw broken(error);
  }
}

function broken(error: unknown): HearthError {
  const reason = error instanceof Error ? error.message : 'it cannot be read';
  return new HearthError('invalid_value', `The form is not complete: ${reason}.`, { cause: error });
}
