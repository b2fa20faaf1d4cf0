import type { Context } from 'hono';
import type { AppEnvironment } from '../../api/kit/app-environment.ts';
import type { StaticFile } from './static-files.ts';

/** Allows nothing from other hosts and nothing inline. Images in messages are `data:` and `blob:` URLs. */
const contentSecurityPolicy = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self' data: blob:",
  "connect-src 'self'",
  "worker-src 'self'",
  "frame-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Headers of HTML pages. */
export const pageHeaders = {
  'Content-Security-Policy': contentSecurityPolicy,
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(self), microphone=(self), geolocation=()',
};

interface SendOptions {
  readonly status?: number;
  /** Changes the text; the result is sent uncompressed. */
  readonly rewrite?: (text: string) => string;
}

/** Sends a file of a build, compressed if the client accepts it. HTML pages get additional headers. */
export async function sendFile(
  context: Context<AppEnvironment>,
  file: StaticFile,
  { status = 200, rewrite }: SendOptions = {},
): Promise<Response> {
  const { encoding, bytes } =
    rewrite === undefined || file.readGzipped === undefined
      ? await encoded(file, context.req.header('accept-encoding') ?? '')
      : { encoding: undefined, bytes: rewritten(await file.read(), rewrite) };
  const isPage = file.contentType.startsWith('text/html');
  return new Response(bytes, {
    status,
    headers: {
      'Content-Type': file.contentType,
      'Content-Length': String(bytes.byteLength),
      'Cache-Control': file.isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
      Vary: isPage ? 'Accept, Accept-Encoding' : 'Accept-Encoding',
      ...(encoding === undefined ? {} : { 'Content-Encoding': encoding }),
      ...(isPage ? pageHeaders : {}),
    },
  });
}

async function encoded(file: StaticFile, accepted: string) {
  if (file.readBrotli !== undefined && accepts(accepted, 'br')) {
    return { encoding: 'br', bytes: await file.readBrotli() };
  }
  if (file.readGzipped !== undefined && accepts(accepted, 'gzip')) {
    return { encoding: 'gzip', bytes: await file.readGzipped() };
  }
  return { encoding: undefined, bytes: await file.read() };
}

/** True if an `Accept-Encoding` header names the encoding with a weight above 0. */
function accepts(header: string, encoding: string): boolean {
  return header.split(',').some((choice) => {
    const [name, weight = ''] = choice.split(';').map((part) => part.trim());
    return name === encoding && !/^q=0(\.0*)?$/.test(weight);
  });
}

function rewritten(bytes: Uint8Array, rewrite: (text: string) => string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(rewrite(new TextDecoder().decode(bytes)));
}

/** True if the client accepts HTML, as browsers do when they open a page. */
export function acceptsHtml(context: Context<AppEnvironment>): boolean {
  return /\btext\/html\b/.test(context.req.header('accept') ?? '');
}
