import { createDownloadManager } from '../library/downloads/download-manager.ts';
import { planDownload } from '../library/downloads/plan-download.ts';
import { CatalogSource } from '../library/hub/catalog-source.ts';
import { Catalog } from '../library/hub/catalog.ts';
import { createHub } from '../library/hub/create-hub.ts';
import { openModelScope } from '../library/hub/create-modelscope.ts';
import { openRegistries } from '../library/hub/create-registries.ts';
import { hubEgressPolicy } from '../library/hub/hub-endpoint.ts';
import { addressOfFile } from '../library/hub/model-sources.ts';
import { omitUndefined } from '../kernel/omit-undefined.ts';
import { createHttpClient } from '../platform/net/http-client.ts';
import type { Settings } from '../settings/settings-table.ts';
import { join } from 'node:path';

type ManagerOptions = Parameters<typeof createDownloadManager>[0];

interface DownloadServices extends Pick<
  ManagerOptions,
  'modelsFolder' | 'store' | 'library' | 'logger' | 'events'
> {
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  readonly cleanups: (() => unknown)[];
}

/** Addresses of the sources without a mirror. */
const ownAddresses = {
  ollama: 'https://registry.ollama.ai',
  docker: 'https://registry-1.docker.io',
  modelscope: 'https://modelscope.cn',
};

/** Creates the model sources, the catalog and the download manager. Continues interrupted downloads. */
export async function createDownloads(
  settings: Settings,
  { home, environment, signal, cleanups, ...parts }: DownloadServices,
) {
  const { logger } = parts;
  const hubEndpoint = settings['hub.endpoint'];
  const http = createHttpClient({ environment, egress: hubEgressPolicy(hubEndpoint) });
  cleanups.push(() => http.close());
  const catalog = new Catalog();
  const file = join(home, 'catalog.json');
  const catalogSource = new CatalogSource({ catalog, file, environment, logger });
  await catalogSource.open(signal);
  const hub = createHub({ endpoint: hubEndpoint, token: settings['hub.token'], http });
  const { ollama, docker, modelscope } = {
    ...ownAddresses,
    ...omitUndefined(settings['hub.mirrors']),
  };
  const registries = openRegistries({ ollama, docker }, environment);
  cleanups.push(() => registries.http.close());
  const modelScope = openModelScope(modelscope, environment);
  cleanups.push(() => modelScope.http.close());
  const sources = { hub, modelScope, registries };
  const downloads = createDownloadManager({
    ...parts,
    plan: (request, aborting) => planDownload({ sources, catalog, hubEndpoint, request }, aborting),
    addressOf: (plan, path) => addressOfFile(sources, plan, path),
  });
  cleanups.push(() => downloads.close());
  await downloads
    .continueInterrupted()
    .catch((err: unknown) => logger.error({ err }, 'failed to resume downloads'));
  return { catalog, catalogSource, hub, modelScopeHub: modelScope, downloads };
}
