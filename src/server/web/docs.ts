import { join } from 'node:path';
import type { Context } from 'hono';
import { HearthError } from '../../kernel/errors/errors.ts';
import type { AppEnvironment, HonoApp } from '../../api/kit/app-environment.ts';
import { shorten } from '../../api/kit/validation/shown-value.ts';
import { readPackedFiles } from './packed-files.ts';
import { acceptsHtml, pageHeaders, sendFile } from './send-file.ts';
import { listStaticFiles, type StaticFile, type StaticFiles } from './static-files.ts';

const pageWithoutSite = (prefix: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Hearth</title>
</head>
<body>
<h1>The documentation is not built</h1>
<p>Run <code>npm run build:site</code> in the clone of Hearth, or read the Markdown files in its folder <code>docs</code>.
The API is described by <a href="${prefix}/openapi.json">openapi.json</a>.</p>
</body>
</html>
`;

/**
 * Serves the documentation site. It needs no token, since it contains no data of the server.
 *
 * @param folder Folder of the site, `dist/docs`: `pages.br` with its texts, and the pictures.
 * @param pathPrefix Path before every path of the server; may be empty.
 */
export function mountDocs(app: HonoApp, folder: string, pathPrefix: string): void {
  let files: Promise<StaticFiles> | undefined;
  const readSite = () => (files ??= readFiles(folder));
  const send = (context: Context<AppEnvironment>, file: StaticFile, status = 200) =>
    sendFile(context, file, {
      status,
      ...(pathPrefix === '' ? {} : { rewrite: (text) => belowPrefix(text, pathPrefix) }),
    });

  app.get('/docs', (context) => context.redirect(`${pathPrefix}/docs/`));
  app.get('/docs/*', async (context) => {
    const site = await readSite();
    const name = context.req.path.slice('/docs/'.length);
    if (name === '' && site.size === 0) {
      files = undefined;
      return context.html(pageWithoutSite(pathPrefix), 200, { ...pageHeaders });
    }
    const file = findPage(site, name);
    if (file !== undefined) return send(context, file);
    if (site.has(`${name}/index.html`)) return context.redirect(`${pathPrefix}/docs/${name}/`);
    const notFound = site.get('404.html');
    if (notFound !== undefined && acceptsHtml(context)) {
      return send(context, notFound, 404);
    }
    throw new HearthError('not_found', `The documentation has no page ${shorten(name)}.`);
  });
  app.get('/llms.txt', async (context) => {
    const file = (await readSite()).get('llms.txt');
    if (file === undefined) throw new HearthError('not_found', 'The documentation is not built.');
    return send(context, file);
  });
}

async function readFiles(folder: string): Promise<StaticFiles> {
  const [pictures, pages] = await Promise.all([
    listStaticFiles(folder),
    readPackedFiles(join(folder, 'pages.br')),
  ]);
  return new Map([...pictures, ...pages]);
}

/** Finds a page, whose path has no extension. */
function findPage(site: StaticFiles, name: string): StaticFile | undefined {
  if (name === '' || name.endsWith('/')) return site.get(`${name}index.html`);
  return site.get(name) ?? site.get(`${name}.html`);
}

/** Adds a path prefix to the site's URLs in a page, script, style sheet or Markdown text. */
function belowPrefix(text: string, prefix: string): string {
  return text.replaceAll(/(?<=["'`(])\/docs\//g, `${prefix}/docs/`);
}
