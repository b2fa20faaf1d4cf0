import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createTokenService, type TokenService } from '../../access/token-service.ts';
import { loadSettings } from '../../config/settings.ts';
import { createLogger } from '../../observability/logger.ts';
import { createSqliteStore } from '../../store/sqlite-store.ts';
import type { CommandContext } from '../context.ts';

/** Reads or changes the tokens of the home folder; needs no running server. */
export async function withTokens<Result>(
  context: CommandContext,
  work: (tokens: TokenService) => Promise<Result>,
): Promise<Result> {
  const { home, environment } = context;
  const settings = await loadSettings({ home, environment, flags: {} });
  const logger = createLogger('error');
  await mkdir(home, { recursive: true, mode: 0o700 });
  const store = await createSqliteStore({
    file: settings['store.url'] ?? join(home, 'hearth.db'),
    logger,
  });
  try {
    return await work(createTokenService({ tokens: store.tokens, onTouchError: () => {} }));
  } finally {
    await store.close();
  }
}
