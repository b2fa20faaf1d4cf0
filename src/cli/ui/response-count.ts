import type { OwnedCount } from '../../server/offline/tokens.ts';

/** Such as `31 responses in 4 conversations`. */
export function formatResponseCount({ responseCount, conversationCount }: OwnedCount): string {
  return `${counted(responseCount, 'response')} in ${counted(conversationCount, 'conversation')}`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
