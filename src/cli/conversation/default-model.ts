import { listModels, type V1Model } from '../../api/v1/models/model-schema.ts';
import type { Client } from '../client/client.ts';

const starterModel = 'hearth/starter-chat';

/** Finds the model to chat with if the user names none: the loaded language model, or the starter model. */
export async function findDefaultModel(client: Client, signal: AbortSignal): Promise<string> {
  const { models } = await client.call(listModels, {}, signal);
  return pickDefaultModel(models);
}

/** @returns the key of the only loaded language model, or of the starter model. */
export function pickDefaultModel(
  models: readonly Pick<V1Model, 'key' | 'type' | 'loaded_instances'>[],
): string {
  const [first, second] = models.filter(
    ({ type, loaded_instances: instances }) => type === 'llm' && instances.length > 0,
  );
  return first !== undefined && second === undefined ? first.key : starterModel;
}
