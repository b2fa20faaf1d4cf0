import type { HttpClient } from '../../platform/net/http-client.ts';
import type { Registries } from './create-registries.ts';
import type { Hub } from './hub.ts';
import type { RegistryName } from './registry-reference.ts';

/** The hubs and registries that models can be downloaded from. */
export interface ModelSources {
  readonly hub: Hub;
  readonly modelScope: Hub;
  readonly registries: Registries;
}

/** A source other than the model hub. */
export type OtherSource = RegistryName | 'modelscope';

interface SourceOfPlan {
  readonly registry?: OtherSource;
  readonly owner: string;
  readonly name: string;
  readonly commit: string;
}

/** URL and headers to request a file. */
export interface FileAddress {
  readonly http: HttpClient;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

/** Finds the address of a file of a plan. */
export function addressOfFile(
  { hub, modelScope, registries }: ModelSources,
  plan: SourceOfPlan,
  path: string,
): FileAddress {
  const { registry } = plan;
  if (registry === 'ollama' || registry === 'docker') {
    return { http: registries.http, url: registries.fileUrl(registry, path), headers: {} };
  }
  const { http, headers, ...source } = registry === 'modelscope' ? modelScope : hub;
  return { http, url: source.fileUrl(plan, path), headers };
}
