/** The raw body of a request. */
export interface UploadBody {
  readonly body: AsyncIterable<Uint8Array>;
  /** From `Content-Length`; undefined for a chunked body. */
  readonly declaredBytes: number | undefined;
  /** From the header `Content-Type`. */
  readonly contentType: string | undefined;
}

/**
 * Maximum bytes to read after an early error. If a client sends more, its connection is closed, perhaps before it reads
 * the error.
 */
const maxDrainedBytes = 64 * 1024 * 1024;

/**
 * Opens the body of a request as a stream that stays open if the handler fails.
 *
 * @returns the body, and a function that reads and discards the rest of the body up to a limit, so that the client gets
 *   the error.
 */
export function openUpload({ body, headers }: Request) {
  const length = headers.get('content-length');
  const reader = body?.getReader();
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const next = await reader?.read();
      if (next?.value === undefined) return;
      yield next.value;
    }
  }
  const upload: UploadBody = {
    body: chunks(),
    declaredBytes: length === null ? undefined : Number(length),
    contentType: headers.get('content-type') ?? undefined,
  };
  async function drain(): Promise<void> {
    for (let drainedBytes = 0; drainedBytes <= maxDrainedBytes;) {
      const next = await reader?.read().catch(() => undefined);
      if (next?.value === undefined) return;
      drainedBytes += next.value.byteLength;
    }
    await reader?.cancel().catch(() => {});
  }
  return { upload, drain };
}
