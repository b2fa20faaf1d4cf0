import { setImmediate } from 'node:timers/promises';
import type { Endpoint } from '../mount.ts';
import { ComponentSchemas, type JsonObject } from './component-schemas.ts';
import { ErrorResponses } from './error-responses.ts';
import { toOperation } from './operation.ts';

interface DocumentOptions {
  readonly version: string;
  readonly serverUrl: string;
}

/** Creates the OpenAPI 3.1 document of all endpoints. Takes about a second; the event loop runs between endpoints. */
export async function openApiDocument(
  endpoints: readonly Endpoint[],
  { version, serverUrl }: DocumentOptions,
) {
  const schemas = new ComponentSchemas();
  const errors = new ErrorResponses(schemas);
  const paths: Record<string, JsonObject> = {};
  for (const endpoint of endpoints) {
    await setImmediate();
    const { method, path } = endpoint.route;
    const operations = (paths[path.replace('...}', '}')] ??= {});
    // If APIs share a path, only a header distinguishes them, which OpenAPI can't express; the first one is documented.
    operations[method] ??= toOperation(endpoint, { schemas, errors });
  }
  const apis = new Set(endpoints.map(({ api }) => api));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Hearth',
      version,
      description: 'A local model server: chat, completions and embeddings on your own machine.',
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    servers: [{ url: serverUrl }],
    tags: [...apis].map(({ name, description }) => ({ name, description })),
    paths,
    components: {
      responses: errors.all(),
      schemas: schemas.all(),
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description: 'Create one with `hearth token create`. Required if `auth.required` is on.',
        },
      },
    },
  };
}
