import { texts } from './texts.ts';

/** The reason why a token was refused, as a translated text: the server's message is in English. */
export function refusalText(message: string): string {
  const { refused } = texts.token;
  if (message.includes('has expired')) return refused.expired;
  if (message.includes('unknown or revoked')) return refused.unknown;
  if (message.includes('session has ended')) return refused.ended;
  if (message.includes('Too many attempts')) return refused.tooMany;
  return refused.foreign;
}
