import type { StoredResponseRecord } from './stored-response-schema.ts';
import type { Store, StoredResponse } from '../../../store/store.ts';
import { toStoredResponse } from './to-stored-response.ts';

/** Maximum characters of a page's images. A page that exceeds it ends early, since it is kept in memory. */
const maxImageCharacters = 32 * 1024 * 1024;

interface ResponsePage {
  readonly responses: readonly StoredResponse[];
  /** Cursor of the next page: the id of the last response; null at the end. */
  readonly nextCursor: string | null;
}

/** Adds the images to a page of responses. A page that gets too long is shortened, but keeps at least one response. */
export async function toResponsePage(
  store: Store,
  { responses, nextCursor }: ResponsePage,
  maxCharacters = maxImageCharacters,
): Promise<{ responses: StoredResponseRecord[]; next_cursor: string | null }> {
  const shown: StoredResponseRecord[] = [];
  let characters = 0;
  for (const response of responses) {
    const last = shown.at(-1);
    if (last !== undefined && characters > maxCharacters) {
      return { responses: shown, next_cursor: last.response_id };
    }
    const record = await toStoredResponse(store, response);
    characters += imageCharacters(record);
    shown.push(record);
  }
  return { responses: shown, next_cursor: nextCursor };
}

function imageCharacters({ input, output }: StoredResponseRecord): number {
  let characters = 0;
  if (typeof input !== 'string') {
    for (const item of input) if ('data_url' in item) characters += item.data_url.length;
  }
  for (const item of output) if (item.type === 'tool_call') characters += item.output.length;
  return characters;
}
