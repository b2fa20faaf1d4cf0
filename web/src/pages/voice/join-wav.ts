/** Size of the WAV header that the server writes: `RIFF`, `fmt ` and the head of `data`. */
const headerBytes = 44;
const riffSizeAt = 4;
const dataSizeAt = 40;

/** Joins WAV files into one. All must have the same format and the server's header. */
export async function joinWav(files: readonly Blob[]): Promise<Blob> {
  const headers = await Promise.all(
    files.map(async (file) => new DataView(await file.slice(0, headerBytes).arrayBuffer())),
  );
  const sizes = headers.map((header) => header.getUint32(dataSizeAt, true));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const padding = total % 2;
  const [header = new DataView(new ArrayBuffer(headerBytes))] = headers;
  header.setUint32(riffSizeAt, headerBytes - 8 + total + padding, true);
  header.setUint32(dataSizeAt, total, true);
  const samples = files.map((file, index) =>
    file.slice(headerBytes, headerBytes + (sizes[index] ?? 0)),
  );
  return new Blob([header, ...samples, new Uint8Array(padding)], { type: 'audio/wav' });
}
