import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EngineMessage } from '../../../src/engines/engine.ts';
import type { StoredResponseRecord } from '../../../src/api/v1/responses/stored-response-schema.ts';

interface Page {
  readonly responses: readonly StoredResponseRecord[];
  readonly next_cursor: null;
}

/**
 * Hearth 0.1.0's view of the database that it left in `recordedStoreFile`, and the continuation.
 */
interface RecordedStore {
  /** Owner of the responses of `pages.token`. */
  readonly ownerId: string;
  /** The owner's token, with the permissions `chat` and `plugins`; it opens this database alone. */
  readonly token: string;
  /** Answers of `GET /api/v1/responses?limit=100`. */
  readonly pages: { readonly anonymous: Page; readonly token: Page };
  /** The messages that the engine got for the text "Next" after a response. */
  readonly prompts: readonly {
    readonly id: string;
    readonly ownerId: string | null;
    readonly messages: readonly EngineMessage[];
  }[];
  /** Requests of `POST /api/v1/chat`, which change nothing, and their results. */
  readonly continuations: readonly {
    readonly request: Readonly<Record<string, unknown>>;
    readonly isOwned: boolean;
    readonly output: readonly unknown[];
    readonly inputTokens: number;
  }[];
}

const folder = join(import.meta.dirname, '../../fixtures/stores');

/**
 * A database that Hearth 0.1.0 wrote on the starter models: texts, a branch, a deleted turn, images, reasoning, a
 * system prompt, tool calls that worked and failed.
 */
export const recordedStoreFile = join(folder, '0.1.0.db');

export async function recordedStore(): Promise<RecordedStore> {
  return JSON.parse(await readFile(join(folder, '0.1.0.json'), 'utf8')) as RecordedStore;
}
