import { Hono } from 'hono';
import { mountApis } from './app.ts';
import type { AppEnvironment } from '../api/kit/app-environment.ts';
import { errorReference } from '../api/kit/errors/error-reference.ts';
import type { Endpoint } from '../api/kit/mount.ts';
import { openApiDocument } from '../api/kit/openapi/document.ts';
import { createServerApi } from '../api/monitoring/api.ts';
import { apis } from '../api/apis.ts';
import type { ApiServices } from '../api/services.ts';
import { version } from '../kernel/version.ts';

/** The endpoints of all APIs, without services: their handlers must not run. */
export function declaredEndpoints(): readonly Endpoint[] {
  const services = {} as ApiServices;
  return mountApis(new Hono<AppEnvironment>(), [
    createServerApi({ ping: async () => {} }),
    ...apis.map((create) => create(services)),
  ]);
}

/** The generated files of `docs/`, by path from the root of the repository; `scripts/generate.mjs` writes them. */
export function referenceFiles(): Readonly<Record<string, string>> {
  const document = openApiDocument(declaredEndpoints(), {
    version,
    serverUrl: 'http://127.0.0.1:1234',
  });
  return {
    'docs/errors.md': errorReference(),
    'docs/openapi.json': `${JSON.stringify(document, null, 2)}\n`,
  };
}
