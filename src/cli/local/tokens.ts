import { createTokenService, type TokenService } from '../../access/token-service.ts';
import type { CommandContext } from '../context.ts';
import { withStore } from './store.ts';

/** Reads or changes the tokens of the home folder; needs no running server. */
export async function withTokens<Result>(
  context: CommandContext,
  work: (tokens: TokenService) => Promise<Result>,
): Promise<Result> {
  return withStore(context, ({ store }) =>
    work(createTokenService({ tokens: store.tokens, onTouchError: () => {} })),
  );
}
