import { texts } from './texts.ts';

/** The reason of a refused token in the words of the page; the server's message is for programs. */
export function refusalText(message: string): string {
  const { refused } = texts.token;
  if (message.includes('has expired')) return refused.expired;
  if (message.includes('unknown or revoked')) return refused.unknown;
  if (message.includes('session has ended')) return refused.ended;
  if (message.includes('Too many attempts')) return refused.tooMany;
  return refused.foreign;
}
