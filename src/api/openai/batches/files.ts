import type { Batches } from '../../../chat/batches/batches.ts';
import {
  createFileOpenAi,
  deleteFileOpenAi,
  getFileContentOpenAi,
  getFileOpenAi,
  listFilesOpenAi,
  type OpenAiFile,
} from './file-schema.ts';
import { HearthError, invalidValue } from '../../../kernel/errors/errors.ts';
import {
  uploadPurposes,
  type StoredFile,
  type UploadPurpose,
} from '../../../store/batches/batch.ts';
import { attachment } from '../../kit/attachment.ts';
import { readForm } from '../../kit/body/form-file.ts';
import { mount, type App } from '../../kit/mount.ts';
import type { ApiServices } from '../../services.ts';
import { toPage, toSeconds } from '../page.ts';

const maxNameLength = 512;

export function mountFiles(app: App, { batches, store }: ApiServices): void {
  const toFile = (file: StoredFile): OpenAiFile => ({
    id: file.id,
    object: 'file',
    bytes: file.sizeBytes,
    created_at: toSeconds(file.createdAt),
    ...toExpiry(batches.expiryOf(file)),
    filename: file.name,
    purpose: file.purpose,
    status: 'processed',
    status_details: null,
  });

  mount(app, createFileOpenAi, async ({ upload, context }) => {
    const { tokenId: ownerId } = context.caller;
    let writing: ReturnType<Batches['writeFile']> | undefined;
    try {
      const fields = await readForm(upload, ({ name, bytes }) => {
        const { declaredBytes } = upload;
        writing = batches.writeFile({ name: toName(name), ownerId, bytes, declaredBytes });
        return writing;
      });
      const purpose = readPurpose(fields.get('purpose'));
      assertNoExpiry(fields);
      if (writing === undefined) throw new Error('The form has no file');
      const file = await writing;
      await batches.publishFile(file, purpose);
      return toFile({ ...file, purpose });
    } catch (error) {
      const file = await writing?.catch(() => undefined);
      if (file !== undefined) await batches.discardFile(file);
      throw error;
    }
  });

  mount(app, listFilesOpenAi, async ({ query, context }) => {
    const page = await store.files.page({ ...query, ownerId: context.caller.tokenId });
    return toPage(page.items.map(toFile), page.hasMore);
  });

  mount(app, getFileOpenAi, async ({ params, context }) =>
    toFile(await batches.findFile(params.file_id, context.caller.tokenId)),
  );

  mount(app, getFileContentOpenAi, async ({ params, context }) => {
    const file = await batches.findFile(params.file_id, context.caller.tokenId);
    return new Response(ReadableStream.from(store.files.read(file.id)), {
      headers: {
        'Content-Type': 'application/octet-stream',
        'Content-Length': String(file.sizeBytes),
        'Content-Disposition': attachment(file.name),
      },
    });
  });

  mount(app, deleteFileOpenAi, async ({ params, context }) => {
    await batches.deleteFile(params.file_id, context.caller.tokenId);
    return { id: params.file_id, object: 'file', deleted: true };
  });
}

function toName(name = ''): string {
  const safe = name.replaceAll('\0', '').slice(0, maxNameLength).toWellFormed();
  return safe === '' ? 'file' : safe;
}

/** @throws HearthError `invalid_value`. */
function assertNoExpiry(fields: ReadonlyMap<string, string>): void {
  if (![...fields.keys()].some((name) => name.startsWith('expires_after'))) return;
  throw invalidValue(
    'expires_after',
    '`expires_after` is not supported: files of batches are deleted after 30 days, and documents are kept. Omit it.',
  );
}

function toExpiry(expiry: Date | undefined) {
  return expiry === undefined ? {} : { expires_at: toSeconds(expiry) };
}

/** @throws HearthError `missing_required_parameter`, `invalid_value`. */
function readPurpose(purpose: string | undefined): UploadPurpose {
  const known = uploadPurposes.find((each) => each === purpose);
  if (known !== undefined) return known;
  const [code, found] =
    purpose === undefined
      ? (['missing_required_parameter', 'missing'] as const)
      : (['invalid_value', JSON.stringify(purpose.slice(0, 100))] as const);
  const allowed = uploadPurposes.map((each) => JSON.stringify(each)).join(', ');
  throw new HearthError(code, `\`purpose\` is ${found}; it must be one of ${allowed}.`, {
    param: 'purpose',
  });
}
