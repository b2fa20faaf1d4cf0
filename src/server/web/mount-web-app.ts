import type { Context } from 'hono';
import { HearthError } from '../../kernel/errors/errors.ts';
import type { AppEnvironment, HonoApp } from '../../api/kit/app-environment.ts';
import { shorten } from '../../api/kit/validation/shown-value.ts';
import { mountFrame } from './frame.ts';
import { acceptsHtml, sendFile } from './send-file.ts';
import { listStaticFiles } from './static-files.ts';
import { webPages } from './web-pages.ts';

type Answer = (context: Context<AppEnvironment>) => Response | Promise<Response>;

/**
 * Serves the web app from its build folder. The files need no token, since they contain no data of the server.
 *
 * @param options.pathPrefix Path before every path of the server; may be empty.
 * @param otherwise Handles `GET /` for clients that do not accept HTML, and if the app is not built.
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
    if (pathPrefix === '') return sendFile(context, file);
    return sendFile(context, file, { rewrite: (html) => belowPrefix(html, pathPrefix) });
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
    return sendFile(context, file);
  };
  for (const path of ['/assets/:name', '/manifest.webmanifest', '/service-worker.js']) {
    app.get(path, asset);
  }
  for (const name of ['icon.svg', 'icon-192.png', 'icon-512.png', 'icon-maskable-512.png']) {
    app.get(`/${name}`, asset);
  }
}

/** Adds a path prefix to the URLs of the page's files. From them the app learns its own path. */
function belowPrefix(html: string, prefix: string): string {
  return html.replaceAll(/ (src|href)="\//g, ` $1="${prefix}/`);
}
