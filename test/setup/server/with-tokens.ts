import { join } from 'node:path';
import { createTokenService, type TokenService } from '../../../src/access/token-service.ts';
import { createLogger } from '../../../src/telemetry/logger.ts';
import { openStore } from '../../../src/store/open-store.ts';
import type { Store } from '../../../src/store/store.ts';
import { storeEnvironment } from '../postgres/store-environment.ts';

/** Runs work on the tokens of a home folder, like `hearth token`. */
export async function withTokens<T>(
  home: string,
  work: (tokens: TokenService, store: Store) => Promise<T>,
): Promise<T> {
  const { HEARTH_STORE_URL: url = join(home, 'hearth.db') } = await storeEnvironment(home);
  const store = await openStore({ url, logger: createLogger('silent'), maxConnections: 2 });
  try {
    return await work(createTokenService({ tokens: store.tokens, onTouchError: () => {} }), store);
  } finally {
    await store.close();
  }
}
