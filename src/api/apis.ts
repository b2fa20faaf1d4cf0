import type { Settings } from '../settings/settings-table.ts';
import type { Surface } from './kit/api.ts';
import { createAnthropicSurface } from './anthropic/api.ts';
import { createOllamaSurface } from './ollama/api.ts';
import { createOpenAiSurface } from './openai/api.ts';
import { createV0Surface } from './openai/v0/api.ts';
import { createV1Surface } from './v1/api.ts';
import type { SurfaceServices } from './services.ts';

/** The APIs of the server, in addition to its own endpoints. */
export const surfaces: readonly ((services: SurfaceServices) => Surface)[] = [
  createV0Surface,
  createV1Surface,
  createOpenAiSurface,
  createAnthropicSurface,
  createOllamaSurface,
];

/** The surfaces that the settings switch on. */
export function servedSurfaces(services: SurfaceServices, settings: Settings): readonly Surface[] {
  return surfaces.map((create) => create(services)).filter(({ name }) => isServed(name, settings));
}

/** Whether a surface is switched on; one without a setting always is. */
function isServed(name: string, settings: Settings): boolean {
  const key = `surfaces.${name}`;
  return !(key in settings) || settings[key as keyof Settings] === true;
}
