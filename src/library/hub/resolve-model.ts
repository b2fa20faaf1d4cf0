import type { Catalog } from './catalog.ts';
import { chooseFiles, type FileChoice } from './choose-files.ts';
import { defaultHubEndpoint, hubAddress } from './hub-endpoint.ts';
import type { Hub, HubRepository } from './hub.ts';
import { parseModelReference } from './model-reference.ts';

interface ResolveOptions {
  readonly hub: Hub;
  readonly catalog: Catalog;
  /** Endpoint of the hub; defaults to huggingface.co. */
  readonly endpoint?: string | undefined;
  /** Id of the catalog, `owner/name`, or URL. */
  readonly model: string;
  readonly quantization?: string | undefined;
}

export interface ResolvedModel {
  readonly repository: HubRepository;
  readonly choice: FileChoice;
}

/**
 * Resolves a name to the files of a commit of a repository.
 *
 * @throws HearthError the errors of `parseModelReference`, `Hub.repository` and `chooseFiles`; the signal's reason.
 */
export async function resolveModel(
  options: ResolveOptions,
  signal: AbortSignal,
): Promise<ResolvedModel> {
  const { hub, catalog, endpoint = defaultHubEndpoint, model, quantization } = options;
  const reference = parseModelReference(model, { endpoint: hubAddress(endpoint), catalog });
  const { file, folder, catalogEntry } = reference;
  const repository = await hub.repository(reference.repository, reference.revision, signal);
  const preferredQuantization = catalogEntry?.quantization;
  const choice = chooseFiles(repository, { quantization, preferredQuantization, file, folder });
  return { repository, choice };
}
