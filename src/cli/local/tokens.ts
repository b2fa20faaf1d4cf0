import { createTokenService, type TokenService } from '../../access/token-service.ts';
import type { Store } from '../../store/store.ts';
import type { CommandContext } from '../context.ts';
import { CommandError } from '../failure.ts';
import { withStore } from './store.ts';

/** Reads or changes the tokens of the home folder; needs no running server. */
export async function withTokens<Result>(
  context: CommandContext,
  work: (tokens: TokenService, store: Store) => Promise<Result>,
): Promise<Result> {
  return withStore(context, ({ store }) =>
    work(createTokenService({ tokens: store.tokens, onTouchError: () => {} }), store),
  );
}

export function unknownToken(id: string): CommandError {
  return new CommandError(`No token has the id "${id}". See \`hearth token ls\`.`);
}
