import { join } from 'node:path';
import { createTokenService, type TokenService } from '../../../src/access/token-service.ts';
import { createLogger } from '../../../src/observability/logger.ts';
import { createSqliteStore } from '../../../src/store/sqlite-store.ts';
import type { Store } from '../../../src/store/store.ts';

/** Works on the tokens of a home folder, as `hearth token` does. */
export async function withTokens<T>(
  home: string,
  work: (tokens: TokenService, store: Store) => Promise<T>,
): Promise<T> {
  const store = await createSqliteStore({
    file: join(home, 'hearth.db'),
    logger: createLogger('silent'),
  });
  try {
    return await work(createTokenService({ tokens: store.tokens, onTouchError: () => {} }), store);
  } finally {
    await store.close();
  }
}
