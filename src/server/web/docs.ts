import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HearthError } from '../../kernel/errors/errors.ts';
import { errorCode } from '../../kernel/error-code.ts';
import type { HonoApp } from '../../api/kit/app-environment.ts';

const page = (prefix: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Hearth API</title>
<link rel="stylesheet" href="${prefix}/docs/swagger-ui.css">
</head>
<body>
<nav id="apis" aria-label="APIs" style="padding: 12px 20px; font: 16px sans-serif"></nav>
<div id="docs"></div>
<script src="${prefix}/docs/swagger-ui-bundle.js"></script>
<script type="module" src="${prefix}/docs/start.js"></script>
</body>
</html>
`;

/** Shows one API at a time: Swagger UI draws no more than some 140 operations. */
const startScript = (prefix: string) => `
const description = await (await fetch('${prefix}/openapi.json')).json();
const named = new URLSearchParams(location.search).get('api');
const api = description.tags.some(({ name }) => name === named) ? named : 'v1';
for (const { name } of description.tags) {
  const link = document.createElement('a');
  link.href = '?api=' + name;
  link.textContent = name;
  if (name === api) link.ariaCurrent = 'page';
  link.style.marginRight = '16px';
  document.getElementById('apis').append(link);
}
const ofApi = ([, operation]) => operation.tags === undefined || operation.tags.includes(api);
const paths = Object.entries(description.paths)
  .map(([path, operations]) => [path, Object.entries(operations).filter(ofApi)])
  .filter(([, operations]) => operations.some(([, { tags }]) => tags !== undefined))
  .map(([path, operations]) => [path, Object.fromEntries(operations)]);
SwaggerUIBundle({
  spec: {
    ...description,
    tags: description.tags.filter(({ name }) => name === api),
    paths: Object.fromEntries(paths),
  },
  dom_id: '#docs',
  validatorUrl: null,
  tryItOutEnabled: true,
});
`;

/** No other origins and no inline scripts; Swagger UI needs inline styles and icons. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const files = [
  ['swagger-ui.css', 'text/css; charset=utf-8'],
  ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
] as const;

/**
 * Serves the API reference page without loading anything from other servers.
 *
 * @param pathPrefix Path before every path of the server, or an empty text.
 */
export function mountDocs(app: HonoApp, docsFolder: string, pathPrefix: string): void {
  app.get('/docs', (context) =>
    context.html(page(pathPrefix), 200, {
      'Content-Security-Policy': contentSecurityPolicy,
      'Referrer-Policy': 'no-referrer',
      'X-Frame-Options': 'DENY',
      'Cache-Control': 'no-cache',
    }),
  );
  app.get('/docs/start.js', (context) =>
    context.body(startScript(pathPrefix), 200, {
      'Content-Type': 'text/javascript; charset=utf-8',
    }),
  );
  for (const [name, contentType] of files) {
    app.get(`/docs/${name}`, async (context) => {
      const bytes = await readIfPresent(join(docsFolder, name));
      if (bytes === undefined) throw new HearthError('not_found', `${name} is not installed.`);
      return context.body(bytes, 200, {
        'Content-Type': contentType,
        'Cache-Control': 'max-age=3600',
      });
    });
  }
}

async function readIfPresent(file: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  try {
    return new Uint8Array(await readFile(file));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
