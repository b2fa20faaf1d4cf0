import { omitUndefined } from '../../kernel/omit-undefined.ts';
import type { Catalog } from '../hub/catalog.ts';
import type { Registries } from '../hub/create-registries.ts';
import type { Hub } from '../hub/hub.ts';
import { isRegistryReference, parseRegistryReference } from '../hub/registry-reference.ts';
import { resolveModel } from '../hub/resolve-model.ts';
import type { DownloadPlan, DownloadRequest } from './downloads.ts';

interface PlanOptions {
  readonly hub: Hub;
  readonly registries: Registries;
  readonly catalog: Catalog;
  readonly hubEndpoint: string | undefined;
  readonly request: DownloadRequest;
}

/**
 * Resolves a request to files of a commit, and to target paths in the library.
 *
 * @throws The errors of `Downloads.start`; the signal's reason.
 */
export async function planDownload(
  { hub, registries, catalog, hubEndpoint, request }: PlanOptions,
  signal: AbortSignal,
): Promise<DownloadPlan> {
  const { model, quantization } = request;
  if (isRegistryReference(model)) return planFromRegistry(registries, model, signal);
  const options = {
    hub,
    catalog,
    model,
    ...omitUndefined({ endpoint: hubEndpoint, quantization }),
  };
  const { repository, choice } = await resolveModel(options, signal);
  const { owner, name, commit } = repository;
  return {
    model,
    owner,
    name,
    commit,
    quantization: choice.quantization,
    ...omitUndefined({ note: choice.note ?? undefined }),
    files: choice.files.map(({ path, sizeBytes, checksum }) => ({
      path,
      target: targetOf(path),
      sizeBytes,
      checksum,
    })),
  };
}

async function planFromRegistry(
  registries: Registries,
  model: string,
  signal: AbortSignal,
): Promise<DownloadPlan> {
  const reference = parseRegistryReference(model);
  const { license, ...found } = await registries.model(reference, signal);
  const note = license === null ? undefined : `License: ${license}`;
  return { model, registry: reference.registry, ...found, ...omitUndefined({ note }) };
}

/** The library reads one folder deep, so a deeper path keeps its last two names. */
function targetOf(path: string): string {
  return path.split('/').slice(-2).join('/');
}
