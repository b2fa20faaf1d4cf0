import { expect, it } from 'vitest';
import { HearthError } from '../../../kernel/errors/errors.ts';
import { readForm, type FormFile } from './form-file.ts';
import { openUpload } from './upload-body.ts';

function form(...entries: readonly (readonly [string, string | File])[]): Request {
  const data = new FormData();
  for (const [name, value] of entries) data.append(name, value);
  return new Request('http://localhost/', { method: 'POST', body: data });
}

async function read(request: Request) {
  const files: { readonly name: string | undefined; readonly text: string }[] = [];
  const fields = await readForm(openUpload(request).upload, async ({ name, bytes }: FormFile) => {
    const pieces: Uint8Array[] = [];
    for await (const piece of bytes) pieces.push(piece);
    files.push({ name, text: Buffer.concat(pieces).toString() });
  });
  return { fields: Object.fromEntries(fields), files };
}

const text = 'line\n'.repeat(100_000);
const file = new File([text], 'größe.jsonl');

it.each([
  ['before', [['purpose', 'batch'] as const, ['file', file] as const]],
  ['after', [['file', file] as const, ['purpose', 'batch'] as const]],
])('reads a file with fields %s it', async (_, entries) => {
  expect(await read(form(...entries))).toEqual({
    fields: { purpose: 'batch' },
    files: [{ name: 'größe.jsonl', text }],
  });
});

it('takes the first file of the field "file" only', async () => {
  const other = new File(['other'], 'other');
  const { files } = await read(form(['image', other], ['file', file], ['file', other]));
  expect(files).toEqual([{ name: 'größe.jsonl', text }]);
  await expect(read(form(['purpose', 'batch']))).rejects.toMatchObject({ param: 'file' });
});

it('takes a file without a name', async () => {
  const part =
    'Content-Disposition: form-data; name="file"\r\nContent-Type: application/octet-stream';
  const { files } = await read(
    new Request('http://localhost/', {
      method: 'POST',
      body: `--x\r\n${part}\r\n\r\nabc\r\n--x--\r\n`,
      headers: { 'Content-Type': 'multipart/form-data; boundary=x' },
    }),
  );
  expect(files.map((each) => each.text)).toEqual(['abc']);
});

it('refuses a form that breaks off, and other bodies', async () => {
  const whole = Buffer.from(await form(['file', file]).arrayBuffer());
  const type = form(['file', file]).headers.get('content-type') ?? '';
  const boundary = whole.toString('latin1').slice(2, whole.indexOf('\r\n'));
  const send = (body: Buffer, contentType: string) =>
    read(
      new Request('http://localhost/', {
        method: 'POST',
        body,
        headers: { 'Content-Type': contentType },
      }),
    );
  const own = `multipart/form-data; boundary=${boundary}`;
  await expect(send(whole.subarray(0, 1000), own)).rejects.toMatchObject({ code: 'invalid_value' });
  await expect(send(whole, type)).rejects.toBeInstanceOf(HearthError);
  await expect(send(whole, 'multipart/form-data')).rejects.toMatchObject({ code: 'invalid_value' });
});

const field = '--x\r\nContent-Disposition: form-data; name="purpose"\r\n\r\n';

it.each([
  ['parts', '--x\r\n'.repeat(65), 'The form has more than 64 parts.'],
  ['a field', `${field}${'a'.repeat(4097)}\r\n--x--\r\n`, 'a field of more than 4096 bytes.'],
])('refuses a form that exceeds the limit of %s', async (_, body, message) => {
  const headers = { 'Content-Type': 'multipart/form-data; boundary=x' };
  const request = new Request('http://localhost/', { method: 'POST', body, headers });
  await expect(read(request)).rejects.toMatchObject({
    code: 'invalid_value',
    message: expect.stringContaining(message),
  });
});

it('ends with the error of what takes the file', async () => {
  const failure = readForm(openUpload(form(['file', file])).upload, async ({ bytes }) => {
    for await (const piece of bytes) {
      if (piece.byteLength > 0) throw new HearthError('storage_full', 'No room.');
    }
  });
  await expect(failure).rejects.toMatchObject({ code: 'storage_full' });
});
