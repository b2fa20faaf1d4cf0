import { Readable } from 'node:stream';
import { Busboy } from '@fastify/busboy';
import { HearthError } from '../../../kernel/errors/errors.ts';
import type { UploadBody } from './upload-body.ts';

/** The file of a form. Its bytes must be read. */
export interface FormFile {
  /** Absent if the form names no file. */
  readonly name: string | undefined;
  readonly bytes: AsyncIterable<Uint8Array>;
}

const limits = { parts: 64, fieldSize: 4096, headerPairs: 64, headerSize: 8192 };

/**
 * Reads a form (`multipart/form-data`, RFC 7578) and streams its file. Fields may come before and after the file; other
 * files are ignored.
 *
 * @param takeFile Called once, with the file of the field `file`.
 * @param takeField Called for each other field; names may repeat.
 * @returns The other fields.
 * @throws HearthError `invalid_value` if the form ends early or exceeds a limit; `missing_required_parameter` without a
 *   file; the errors of `takeFile`.
 */
export async function readForm(
  { body, contentType }: UploadBody,
  takeFile: (file: FormFile) => Promise<unknown>,
  takeField: (name: string, value: string) => void = () => {},
): Promise<ReadonlyMap<string, string>> {
  const fields = new Map<string, string>();
  const form = openForm(contentType);
  const source = Readable.from(body);
  const taken: Promise<unknown>[] = [];
  try {
    await new Promise<void>((resolve, reject) => {
      form.on('field', (name, value, _, isTruncated) => {
        if (isTruncated) form.destroy(tooLarge(`a field of more than ${limits.fieldSize} bytes`));
        fields.set(name, value);
        takeField(name, value);
      });
      form.on('file', (field, stream, name) => {
        // The reader of the bytes handles the error; without a listener the process would end.
        stream.on('error', () => {});
        source.once('error', (error) => stream.destroy(error));
        form.on('error', (error) => stream.destroy(broken(error)));
        if (field !== 'file' || taken.length > 0) return void stream.resume();
        const take = async () => takeFile({ name, bytes: wholeBytes(stream) });
        const file = take();
        file.catch(reject);
        taken.push(file);
      });
      form.once('finish', resolve);
      form.on('error', (error) => reject(broken(error)));
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

/**
 * Stops parsing within a chunk once a limit is exceeded: a chunk may have thousands of parts, each as slow as a long
 * text.
 */
class LimitedForm extends Busboy {
  constructor(contentType: string) {
    super({ headers: { 'content-type': contentType }, limits });
    this.on('partsLimit', () => {
      throw tooLarge(`more than ${limits.parts} parts`);
    });
  }

  override _write(
    chunk: unknown,
    encoding: BufferEncoding,
    callback: (error?: Error | null) => void,
  ): void {
    try {
      // oxlint-disable-next-line eslint/no-underscore-dangle -- the name that Node.js gives it
      super._write(chunk, encoding, callback);
    } catch (error) {
      callback(error instanceof Error ? error : new Error(String(error)));
    }
  }
}

function openForm(contentType = ''): LimitedForm {
  try {
    return new LimitedForm(contentType);
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

function tooLarge(excess: string): HearthError {
  return new HearthError('invalid_value', `The form has ${excess}.`);
}

function broken(error: unknown): HearthError {
  if (error instanceof HearthError) return error;
  const reason = error instanceof Error ? error.message : 'it cannot be read';
  return new HearthError('invalid_value', `The form is not complete: ${reason}.`, { cause: error });
}
