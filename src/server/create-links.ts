import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import type { TokenService } from '../access/token-service.ts';
import type { Upstreams } from '../engines/backends/remote/upstreams.ts';
import type { Engines } from '../engines/engines.ts';
import type { Logger } from '../kernel/logger.ts';
import { LinkFile } from '../access/links/link-file.ts';
import { type LinkIdentity, openLinkIdentity } from '../access/links/link-identity.ts';
import { Links } from '../access/links/links.ts';
import type { Settings } from '../settings/settings-table.ts';
import type { Store } from '../store/store.ts';
import { addressInNetwork } from './network-url.ts';
import { openLinkListener, parseLinkAddress } from './open-link-listener.ts';

/** Limits of the requests to a linked machine. */
const limits = { timeoutMs: 300_000, maxConcurrent: 64 };

interface LinkServices {
  readonly home: string;
  readonly settings: Settings;
  readonly upstreams: Upstreams;
  readonly tokens: TokenService;
  readonly store: Store;
  readonly pool: Pick<Engines, 'list' | 'unload'>;
  readonly logger: Logger;
}

/** Creates the links of this machine, without opening any yet. */
export async function createLinks(services: LinkServices): Promise<Links> {
  const { home, settings, upstreams, pool, logger } = services;
  let identity: Promise<LinkIdentity> | undefined;
  return new Links({
    ...services,
    file: await LinkFile.open(join(home, 'links.json'), logger),
    openIdentity: () =>
      (identity ??= openLinkIdentity(join(home, 'link-key.pem')).catch((error: unknown) => {
        identity = undefined;
        throw error;
      })),
    upstreams: {
      get names() {
        return upstreams.names;
      },
      add: ({ name, url, key, token }) =>
        upstreams.add({
          name,
          kind: 'hearth',
          urls: [`${url}/v1`],
          apiKey: token,
          pinnedKey: key,
          models: undefined,
          ...limits,
        }),
      remove: (name) => upstreams.remove(name),
      check: (name) => upstreams.check(name),
    },
    host: () => addressInNetwork(parseLinkAddress(settings).host, networkInterfaces()),
    unload: async (machine) => {
      const instances = pool.list().filter(({ selection }) => selection.model.machine === machine);
      await Promise.all(instances.map(({ id }) => pool.unload(id).catch(() => {})));
    },
  });
}

/** Opens the stored links, and listens for linked machines if there are any. */
export function startLinks(
  links: Links,
  served: Omit<Parameters<typeof openLinkListener>[0], 'identity'>,
): Promise<void> {
  return links.start((identity) => openLinkListener({ ...served, identity }));
}
