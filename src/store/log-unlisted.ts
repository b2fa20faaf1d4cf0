import type { Logger } from '../kernel/logger.ts';
import type { OwnerRepository } from './store.ts';

/** Logs how many stored responses no client can list after tokens became required. */
export async function logUnlisted(
  owners: Pick<OwnerRepository, 'counts'>,
  logger: Logger,
): Promise<void> {
  const unlisted = (await owners.counts()).find((each) => each.ownerId === null);
  if (unlisted === undefined) return;
  const { responseCount, conversationCount } = unlisted;
  logger.warn(
    { responseCount, conversationCount },
    'conversations that were stored without a token are in no list: `hearth token adopt TOKEN` moves them to a token',
  );
}
