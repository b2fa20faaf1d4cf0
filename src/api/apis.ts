import type { Settings } from '../settings/settings-table.ts';
import type { Api } from './kit/api.ts';
import { createAnthropicApi } from './anthropic/api.ts';
import { createOllamaApi } from './ollama/api.ts';
import { createOpenAiApi } from './openai/api.ts';
import { createV0Api } from './openai/v0/api.ts';
import { createV1Api } from './v1/api.ts';
import type { ApiServices } from './services.ts';

/** The APIs of the server, in addition to its own endpoints. */
export const apis: readonly ((services: ApiServices) => Api)[] = [
  createV0Api,
  createV1Api,
  createOpenAiApi,
  createAnthropicApi,
  createOllamaApi,
];

/** The APIs that the settings switch on. */
export function servedApis(services: ApiServices, settings: Settings): readonly Api[] {
  return apis.map((create) => create(services)).filter(({ name }) => isServed(name, settings));
}

/** Whether an API is switched on; one without a setting always is. */
function isServed(name: string, settings: Settings): boolean {
  const key = `surfaces.${name}`;
  return !(key in settings) || settings[key as keyof Settings] === true;
}
