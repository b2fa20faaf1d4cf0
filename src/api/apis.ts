import type { Settings } from '../settings/settings-table.ts';
import type { PathClaim } from './kit/api.ts';
import type { Api, ApiRoutes } from './kit/mount.ts';
import { createAnthropicApi } from './anthropic/api.ts';
import { createMcpApi } from './mcp/api.ts';
import { createOllamaApi } from './ollama/api.ts';
import { createOpenAiApi } from './openai/api.ts';
import { createV0Api } from './openai/v0/api.ts';
import { createV1Api } from './v1/api.ts';
import type { ApiServices } from './services.ts';

/** Each endpoint of Ollama is a prefix, since `/api/v0` and `/api/v1` belong to other APIs. */
const ollamaEndpoints =
  'version tags ps show chat generate embed embeddings pull copy delete'.split(' ');
/** Endpoints of Ollama that Hearth does not have: their requests get an error in Ollama's format. */
const missingInOllama = ['push', 'create', 'blobs', 'me', 'signout'];

/**
 * The APIs besides the server's own endpoints. If several have a prefix, the other fields decide which of them owns a
 * path.
 */
const table: readonly (PathClaim & {
  readonly create: (services: ApiServices) => ApiRoutes;
})[] = [
  { create: createV0Api, prefixes: ['/api/v0'] },
  { create: createV1Api, prefixes: ['/api/v1'] },
  { create: createOpenAiApi, prefixes: ['/v1'] },
  {
    create: createAnthropicApi,
    prefixes: ['/v1', '/v1/messages'],
    clientHeaders: ['anthropic-version'],
    unservedPaths: ['/v1/files'],
  },
  { create: createMcpApi, prefixes: ['/mcp'] },
  {
    create: createOllamaApi,
    prefixes: [...ollamaEndpoints, ...missingInOllama].map((name) => `/api/${name}`),
  },
];

export function createApis(services: ApiServices): readonly Api[] {
  return table.map(({ create, ...paths }) => ({ ...create(services), ...paths }));
}

/** The APIs that are enabled in the settings. */
export function servedApis(services: ApiServices, settings: Settings): readonly Api[] {
  return createApis(services).filter(({ name }) => isServed(name, settings));
}

/** True if an API is enabled; an API without a setting always is. */
function isServed(name: string, settings: Settings): boolean {
  const key = `surfaces.${name}`;
  return !(key in settings) || settings[key as keyof Settings] === true;
}
