import { HearthError } from '../../kernel/errors/errors.ts';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import type { Catalog } from '../hub/catalog.ts';
import { chooseFiles, type FileChoice } from '../hub/choose-files.ts';
import type { Registries } from '../hub/create-registries.ts';
import type { Hub, HubRepository } from '../hub/hub.ts';
import type { ModelSources } from '../hub/model-sources.ts';
import { isModelScopeReference, parseModelScopeReference } from '../hub/modelscope-reference.ts';
import { isRegistryReference, parseRegistryReference } from '../hub/registry-reference.ts';
import { resolveModel } from '../hub/resolve-model.ts';
import type { DownloadPlan, DownloadRequest } from './downloads.ts';

interface PlanOptions {
  readonly sources: ModelSources;
  readonly catalog: Catalog;
  readonly hubEndpoint: string | undefined;
  readonly request: DownloadRequest;
}

/**
 * Resolves a request to files of a commit and their target paths in the library.
 *
 * @throws The errors of `Downloads.start`; the signal's reason.
 */
export async function planDownload(
  { sources, catalog, hubEndpoint, request }: PlanOptions,
  signal: AbortSignal,
): Promise<DownloadPlan> {
  const { model, quantization } = request;
  if (isRegistryReference(model)) return planFromRegistry(sources.registries, model, signal);
  if (isModelScopeReference(model)) return planFromModelScope(sources.modelScope, request, signal);
  const options = {
    hub: sources.hub,
    catalog,
    model,
    ...omitUndefined({ endpoint: hubEndpoint, quantization }),
  };
  const { repository, choice } = await resolveModel(options, signal);
  return toPlan(model, repository, choice);
}

async function planFromRegistry(
  registries: Registries,
  model: string,
  signal: AbortSignal,
): Promise<DownloadPlan> {
  const reference = parseRegistryReference(model);
  const { license, ...found } = await registries.model(reference, signal);
  const { registry } = reference;
  return { model, registry, ...found, ...omitUndefined({ license: license ?? undefined }) };
}

async function planFromModelScope(
  modelScope: Hub,
  { model, ...request }: DownloadRequest,
  signal: AbortSignal,
): Promise<DownloadPlan> {
  const { repository: name, quantization, file } = parseModelScopeReference(model);
  if (quantization !== undefined && request.quantization !== undefined) {
    throw new HearthError('invalid_value', 'The name of the model has a quantization already.', {
      field: 'quantization',
    });
  }
  const repository = await modelScope.repository(name, undefined, signal);
  const selection = { quantization: quantization ?? request.quantization, file };
  const plan = toPlan(model, repository, chooseFiles(repository, selection));
  return { ...plan, registry: 'modelscope' };
}

function toPlan(model: string, repository: HubRepository, choice: FileChoice): DownloadPlan {
  const { owner, name, commit, license } = repository;
  const { quantization, note, files } = choice;
  return {
    model,
    owner,
    name,
    commit,
    quantization,
    ...omitUndefined({ note: note ?? undefined, license: license ?? undefined }),
    files: files.map(({ path, sizeBytes, checksum }) => ({
      path,
      target: targetOf(path),
      sizeBytes,
      checksum,
    })),
  };
}

/** The library reads one folder deep, so a deeper path is shortened to its last two names. */
function targetOf(path: string): string {
  return path.split('/').slice(-2).join('/');
}
