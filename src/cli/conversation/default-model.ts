import { listModels, type V1Model } from '../../contract/v1/model.ts';
import type { Client } from '../client/client.ts';

const starterModel = 'hearth/starter-chat';

/** The one loaded language model, else the starter model. */
export async function findDefaultModel(client: Client, signal: AbortSignal): Promise<string> {
  const { models } = await client.call(listModels, {}, signal);
  return pickDefaultModel(models);
}

/** Key of the model to talk to where the user names none. */
export function pickDefaultModel(
  models: readonly Pick<V1Model, 'key' | 'type' | 'loaded_instances'>[],
): string {
  const [first, second] = models.filter(
    ({ type, loaded_instances: instances }) => type === 'llm' && instances.length > 0,
  );
  return first !== undefined && second === undefined ? first.key : starterModel;
}
