import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EngineMessage } from '../../../src/engines/engine.ts';
import type { StoredResponseRecord } from '../../../src/api/v1/responses/stored-response-schema.ts';

interface Page {
  readonly responses: readonly StoredResponseRecord[];
  readonly next_cursor: null;
}

/** Responses of Hearth 0.1.0 about the database in `recordedStoreFile`. */
interface RecordedStore {
  /** Owner of the responses of `pages.token`. */
  readonly ownerId: string;
  /** The owner's token, with the permissions `chat` and `plugins`; only valid for this database. */
  readonly token: string;
  /** Responses of `GET /api/v1/responses?limit=100`. */
  readonly pages: { readonly anonymous: Page; readonly token: Page };
  /** Messages that the engine received for the text "Next" after a response. */
  readonly prompts: readonly {
    readonly id: string;
    readonly ownerId: string | null;
    readonly messages: readonly EngineMessage[];
  }[];
  /** Requests to `POST /api/v1/chat` that change nothing, with their results. */
  readonly continuations: readonly {
    readonly request: Readonly<Record<string, unknown>>;
    readonly isOwned: boolean;
    readonly output: readonly unknown[];
    readonly inputTokens: number;
  }[];
}

const folder = join(import.meta.dirname, '../../fixtures/stores');

/**
 * A database of Hearth 0.1.0 with the starter models. It has texts, a branch, a deleted turn, images, reasoning, a
 * system prompt, and successful and failed tool calls.
 */
export const recordedStoreFile = join(folder, '0.1.0.db');

export async function recordedStore(): Promise<RecordedStore> {
  return JSON.parse(await readFile(join(folder, '0.1.0.json'), 'utf8')) as RecordedStore;
}
