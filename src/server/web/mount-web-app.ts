import type { Context } from 'hono';
import { HearthError } from '../../kernel/errors/errors.ts';
import type { AppEnvironment, HonoApp } from '../../api/kit/app-environment.ts';
import { shorten } from '../../api/kit/validation/shown-value.ts';
import { mountFrame } from './frame.ts';
import { acceptsGzip, listStaticFiles, type StaticFile } from './static-files.ts';
import { webPages } from './web-pages.ts';

/** Nothing from other hosts and nothing inline. Images of messages are `data:` and `blob:` URLs. */
const contentSecurityPolicy = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "worker-src 'self'",
  "frame-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const pageHeaders = {
  'Content-Security-Policy': contentSecurityPolicy,
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(self), microphone=(self), geolocation=()',
};

type Answer = (context: Context<AppEnvironment>) => Response | Promise<Response>;

/**
 * Serves the web app from the folder of its build. The files need no token: they contain no data of the server.
 *
 * @param options.pathPrefix Path before every path of the server, or an empty text.
 * @param otherwise answers `GET /` for clients that do not accept HTML, and if the app is not built.
 */
export function mountWebApp(
  app: HonoApp,
  { folder, pathPrefix }: { readonly folder: string; readonly pathPrefix: string },
  otherwise: Answer,
): void {
  let listing: ReturnType<typeof listStaticFiles> | undefined;
  const find = async (name: string) => (await (listing ??= listStaticFiles(folder))).get(name);

  const page: Answer = async (context) => {
    const file = await find('index.html');
    if (file === undefined) return otherwise(context);
    return pathPrefix === '' ? answer(context, file) : pageBelow(pathPrefix, file);
  };
  app.get('/', (context) => {
    context.header('Vary', 'Accept');
    return acceptsHtml(context) ? page(context) : otherwise(context);
  });
  for (const name of webPages) {
    app.get(`/${name}`, page);
    app.get(`/${name}/*`, page);
  }
  mountFrame(app);
  const asset: Answer = async (context) => {
    const { path } = context.req;
    const file = await find(path.slice(1));
    if (file === undefined)
      throw new HearthError('not_found', `The app has no file ${shorten(path)}.`);
    return answer(context, file);
  };
  for (const path of ['/assets/:name', '/manifest.webmanifest', '/service-worker.js']) {
    app.get(path, asset);
  }
  for (const name of ['icon.svg', 'icon-192.png', 'icon-512.png', 'icon-maskable-512.png']) {
    app.get(`/${name}`, asset);
  }
}

function acceptsHtml(context: Context<AppEnvironment>): boolean {
  return /\btext\/html\b/.test(context.req.header('accept') ?? '');
}

async function answer(context: Context<AppEnvironment>, file: StaticFile): Promise<Response> {
  const readGzipped = acceptsGzip(context.req.header('accept-encoding') ?? '')
    ? file.readGzipped
    : undefined;
  const bytes = await (readGzipped ?? file.read)();
  const isPage = file.contentType.startsWith('text/html');
  return new Response(bytes, {
    headers: {
      'Content-Type': file.contentType,
      'Content-Length': String(bytes.byteLength),
      'Cache-Control': file.isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
      Vary: isPage ? 'Accept, Accept-Encoding' : 'Accept-Encoding',
      ...(readGzipped === undefined ? {} : { 'Content-Encoding': 'gzip' }),
      ...(isPage ? pageHeaders : {}),
    },
  });
}

/** The page with the addresses of its files below a path; from them the app learns where it is. */
async function pageBelow(prefix: string, file: StaticFile): Promise<Response> {
  const html = new TextDecoder()
    .decode(await file.read())
    .replaceAll(/ (src|href)="\//g, ` $1="${prefix}/`);
  return new Response(html, {
    headers: {
      'Content-Type': file.contentType,
      'Cache-Control': 'no-cache',
      Vary: 'Accept',
      ...pageHeaders,
    },
  });
}
