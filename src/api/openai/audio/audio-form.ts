import type { TranscriptionRequest } from '../../../chat/audio/transcribe.ts';
import { HearthError } from '../../../kernel/errors/errors.ts';
import { type FormFile, readForm } from '../../kit/body/form-file.ts';
import type { UploadBody } from '../../kit/body/upload-body.ts';

const maxFileBytes = 100 * 1024 * 1024;
/** Maximum number of files in memory at the same time. */
const maxForms = 8;
const maxNameLength = 255;

let openForms = 0;

/**
 * Reads a form with audio into memory.
 *
 * @throws HearthError `body_too_large`; `queue_full`; the errors of `readForm`.
 */
export async function readAudioForm(upload: UploadBody) {
  if (openForms >= maxForms) {
    throw new HearthError('queue_full', 'Too many files are being sent. Try again soon.', {
      retryAfterSeconds: 1,
    });
  }
  openForms += 1;
  try {
    if ((upload.declaredBytes ?? 0) > 2 * maxFileBytes) throw tooLarge();
    let file: TranscriptionRequest['file'] = { name: '', bytes: Buffer.alloc(0) };
    const all: (readonly [string, string])[] = [];
    const fields = await readForm(
      upload,
      async (form) => {
        file = { name: toName(form.name), bytes: await collect(form) };
      },
      (name, value) => all.push([name, value]),
    );
    return { file, fields: Object.fromEntries(fields), all };
  } finally {
    openForms -= 1;
  }
}

async function collect({ bytes }: FormFile): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const piece of bytes) {
    sizeBytes += piece.byteLength;
    if (sizeBytes > maxFileBytes) throw tooLarge();
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function tooLarge(): HearthError {
  return new HearthError(
    'body_too_large',
    `The file has more than ${maxFileBytes / 1024 ** 2} MiB. Send it in parts, or as MP3.`,
  );
}

/** Keeps the end of a long name, since servers detect the format by the extension. */
function toName(name = ''): string {
  const safe = name.replaceAll(/[\p{C}"\\/]/gu, '').slice(-maxNameLength);
  return safe === '' ? 'audio.wav' : safe;
}
