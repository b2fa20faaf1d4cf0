import { createHash } from 'node:crypto';
import type { HonoApp } from '../../api/kit/app-environment.ts';

/** Runs the script that the app sends. The document can't load one itself, since its origin is opaque. */
const loader = `addEventListener('message', ({ data, source }) => {
  if (source !== parent) return;
  const script = document.createElement('script');
  script.src = URL.createObjectURL(new Blob([data], { type: 'text/javascript' }));
  document.head.append(script);
}, { once: true });
parent.postMessage({ kind: 'loaded' }, '*');`;

const page = `<!doctype html>
<html>
<head>
<meta charset="utf-8">
<title>Preview</title>
<script>${loader}</script>
</head>
<body></body>
</html>
`;

/** The document has its own opaque origin, runs only the loader and its script, and can't send requests. */
const contentSecurityPolicy = [
  "default-src 'none'",
  `script-src blob: 'sha256-${createHash('sha256').update(loader).digest('base64')}'`,
  "style-src 'unsafe-inline'",
  'img-src data:',
  'font-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
  'sandbox allow-scripts',
].join('; ');

/** Serves the document in which the web app runs code from models, isolated from its own page. */
export function mountFrame(app: HonoApp): void {
  app.get('/frame', (context) =>
    context.html(page, 200, {
      'Content-Security-Policy': contentSecurityPolicy,
      'Referrer-Policy': 'no-referrer',
      'X-DNS-Prefetch-Control': 'off',
      'Cache-Control': 'no-cache',
    }),
  );
}
