import { OpenAPIHono } from '@hono/zod-openapi';
import { version } from '../version.ts';
import type { AppEnvironment } from './app-environment.ts';
import { errorReference } from './error-reference.ts';
import { openApiDocument } from './openapi.ts';
import { mountServer } from './surfaces/server/surface.ts';
import type { SurfaceServices } from './surfaces/services.ts';
import { mountV0 } from './surfaces/v0/surface.ts';
import { mountV1 } from './surfaces/v1/surface.ts';

/** The generated files of `docs/`, by path from the root of the repository; `scripts/generate.mjs` writes them. */
export function referenceFiles(): Readonly<Record<string, string>> {
  const app = new OpenAPIHono<AppEnvironment>();
  // Only declarations are read; no handler runs.
  const services = {} as SurfaceServices;
  mountServer(app, { version, ping: async () => {} });
  mountV0(app, services);
  mountV1(app, services);
  const document = openApiDocument(app, { version, serverUrl: 'http://127.0.0.1:1234' });
  return {
    'docs/errors.md': errorReference(),
    'docs/openapi.json': `${JSON.stringify(document, null, 2)}\n`,
  };
}
