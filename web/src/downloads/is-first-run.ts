import type { V1Model } from '../../../src/api/v1/models/model-schema.ts';

/** True for a model that ships with the server. */
export function isStarter({ publisher }: Pick<V1Model, 'publisher'>): boolean {
  return publisher === 'hearth';
}

/** True if the library has only the starter models. */
export function isFirstRun(models: readonly Pick<V1Model, 'publisher'>[]): boolean {
  return models.every(isStarter);
}
