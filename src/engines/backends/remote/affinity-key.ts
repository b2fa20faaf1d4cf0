import type { GenerationRequest } from '../../engine.ts';

/** Characters of a prompt without messages that decide where it goes. */
const headCharacters = 512;

/**
 * The beginning of a prompt, which all turns of a conversation share: the system prompt and the first message of the
 * user.
 */
export function affinityKey(request: GenerationRequest): string {
  if (request.kind === 'completion') {
    const { prompt } = request;
    return typeof prompt === 'string'
      ? prompt.slice(0, headCharacters)
      : prompt.slice(0, headCharacters).join(' ');
  }
  const firstUser = request.messages.findIndex(({ role }) => role === 'user');
  const head = request.messages.slice(0, firstUser + 1);
  return JSON.stringify(head.map(({ content }) => content));
}
