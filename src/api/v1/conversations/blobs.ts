import * as z from 'zod';
import { withExample } from '../../../kernel/field.ts';
import { defineRoute } from '../../kit/route.ts';
import { HearthError } from '../../../kernel/errors/errors.ts';
import { type App, mount } from '../../kit/mount.ts';
import type { ApiServices } from '../../services.ts';

const exampleHash = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';

/** Types that are shown in a browser. A tool may declare any other type, such as one with scripts. */
const shownTypes = [
  'image/png',
  'image/jpeg',
  'image/webp',
  'image/gif',
  'audio/wav',
  'audio/mpeg',
];

export const getBlob = defineRoute('GET /api/v1/blobs/{sha256}', {
  operationId: 'getBlob',
  summary: 'Get a stored image or audio by the SHA-256 of its bytes',
  description: 'Images and audio of the responses that the caller can read.',
  permission: 'chat',
  params: z.object({
    sha256: withExample(z.string().min(1).max(512), exampleHash),
  }),
  result: z.void(),
  mediaTypes: [...shownTypes, 'application/octet-stream'],
  errors: ['blob_not_found'],
});

export function mountBlobs(app: App, { store }: ApiServices): void {
  mount(app, getBlob, async ({ params: { sha256 }, context }) => {
    const isReadable = await store.conversations.canReadBlob(sha256, context.caller.tokenId);
    const blob = isReadable ? await store.blobs.find(sha256) : undefined;
    if (blob === undefined) {
      throw new HearthError(
        'blob_not_found',
        `No image or audio of a stored response has the SHA-256 "${sha256}".`,
        { param: 'sha256' },
      );
    }
    const isShown = shownTypes.includes(blob.mediaType);
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
