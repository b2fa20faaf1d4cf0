import { HearthError } from '../../../kernel/errors/errors.ts';
import { getBlob } from './blob-schema.ts';
import { mount, type App } from '../../kit/mount.ts';
import type { ApiServices } from '../../services.ts';

/** A tool may have declared any other type, such as one with scripts. */
const shownTypes = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif']);

export function mountBlobs(app: App, { store }: ApiServices): void {
  mount(app, getBlob, async ({ params: { sha256 }, context }) => {
    const isReadable = await store.conversations.canReadBlob(sha256, context.caller.tokenId);
    const blob = isReadable ? await store.blobs.find(sha256) : undefined;
    if (blob === undefined) {
      throw new HearthError(
        'blob_not_found',
        `No image of a stored response has the SHA-256 "${sha256}".`,
        { param: 'sha256' },
      );
    }
    const isShown = shownTypes.has(blob.mediaType);
    return new Response(Buffer.from(blob.bytes), {
      headers: {
        'Content-Type': isShown ? blob.mediaType : 'application/octet-stream',
        ...(isShown ? {} : { 'Content-Disposition': 'attachment' }),
        'Content-Security-Policy': "default-src 'none'; sandbox",
        'Cache-Control': 'private, max-age=31536000, immutable',
        Vary: 'Authorization',
      },
    });
  });
}
