import { setImmediate as nextLoop } from 'node:timers/promises';
import {
  importConversation,
  importHash,
  type ConversationToImport,
} from '../../../../chat/import-conversation.ts';
import type { AudioReader } from '../../../../chat/audio/audio-reader.ts';
import { HearthError } from '../../../../kernel/errors/errors.ts';
import type { Store } from '../../../../store/store.ts';
import { measureJson, parseJson } from '../../../kit/body/json-body.ts';
import { chatgpt } from './chatgpt.ts';
import { claude } from './claude.ts';
import { isHearthExport, readHearthExport } from './hearth.ts';
import { ImportError, type ExportReader, type LeftOut } from './imported-chat.ts';
import { IncompleteJsonError, jsonValues, type JsonValue } from './json-values.ts';
import { lmStudio } from './lm-studio.ts';
import { openExport, type ExportFile } from './open-export.ts';
import { openWebui } from './open-webui.ts';
import { toConversation } from './to-conversation.ts';
import { fieldsOf, nameOf } from './values.ts';

const readers: readonly ExportReader[] = [chatgpt, claude, openWebui, lmStudio];
const maxChatBytes = 32 * 1024 * 1024;
/**
 * Bounds the memory, which depends on the number of values, and the nesting, which could overflow the stack of
 * recursive code.
 */
const limits = { valueCount: 2_000_000, fieldCount: 1_000_000, depth: 512 };
/** If a file begins with this many unknown values, it is treated as a file without chats. */
const maxUnknown = 20;
/** Maximum number of chats in the report. */
const maxListed = 100;

type Format = ExportReader['format'] | 'hearth';

interface Skipped {
  readonly title: string;
  readonly reason: string;
}

export interface ImportReport {
  readonly format: Format;
  readonly conversationCount: number;
  readonly responseCount: number;
  /** Conversations that the owner has imported before. */
  readonly presentCount: number;
  readonly skippedCount: number;
  /** The first skipped chats. */
  readonly skipped: readonly Skipped[];
  readonly leftOut: LeftOut;
  /** The first imported chats; without ids in a dry run. */
  readonly conversations: readonly { readonly id?: string; readonly title: string }[];
}

interface ImportOptions {
  readonly ownerId: string | null;
  readonly clientKey: string;
  readonly projectId?: string | undefined;
  /** Checks the file without storing anything. */
  readonly isDryRun: boolean;
  readonly maxImagePixels: number;
  readonly audio: AudioReader;
  readonly signal: AbortSignal;
  /** Called after each chat with the completed fraction, 0 to 1. */
  readonly onProgress?: ((fraction: number) => void) | undefined;
}

/**
 * Imports the chats of an export file of Hearth or another app. Chats that can't be imported are skipped.
 *
 * @throws HearthError `invalid_value` for a file without chats; `storage_failed`; the signal's reason when aborted.
 */
export async function importFile(
  store: Store,
  path: string,
  options: ImportOptions,
): Promise<ImportReport> {
  const source = await openExport(path);
  const run = new ImportRun(store, options);
  try {
    const totalBytes = source.files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    let doneBytes = 0;
    for (const file of source.files) {
      await run.readFile(file, (bytes) => options.onProgress?.((doneBytes + bytes) / totalBytes));
      doneBytes += file.sizeBytes;
    }
  } finally {
    source.close();
  }
  return run.report();
}

class ImportRun {
  readonly #store: Store;
  readonly #options: ImportOptions;
  readonly #known = new Set<string>();
  readonly #skipped: Skipped[] = [];
  readonly #conversations: { id?: string; title: string }[] = [];
  readonly #leftOut = { images: 0, files: 0, parts: 0 };
  #format: Format | undefined;
  #firstProblem: string | undefined;
  #counts = { conversationCount: 0, responseCount: 0, presentCount: 0, skippedCount: 0 };

  constructor(store: Store, options: ImportOptions) {
    this.#store = store;
    this.#options = options;
  }

  /** @param onRead Called with the number of bytes read. */
  async readFile(file: ExportFile, onRead: (bytes: number) => void): Promise<void> {
    let [isRecognized, unknownCount, bytes] = [false, 0, 0];
    async function* chunks(): AsyncGenerator<Uint8Array> {
      for await (const chunk of file.chunks()) {
        bytes += chunk.byteLength;
        yield chunk;
      }
    }
    const note = (title: string, error: unknown): void => {
      const reason = reasonOf(error);
      this.#firstProblem ??= reason;
      if (isRecognized) this.#skip({ title, reason });
    };
    try {
      for await (const bytesOfValue of jsonValues(chunks(), maxChatBytes)) {
        this.#options.signal.throwIfAborted();
        let title = '';
        try {
          const value = parse(bytesOfValue);
          const { title: ofValue, name } = fieldsOf(value);
          title = nameOf(ofValue) ?? nameOf(name) ?? '';
          const format = formatOf(value);
          if (format === undefined) throw new ImportError('It is not a chat.');
          isRecognized = true;
          this.#format ??= format;
          await this.#take(value, format);
        } catch (error) {
          note(title, error);
          if (!isRecognized && (unknownCount += 1) > maxUnknown) return;
        }
        onRead(bytes);
        await nextLoop();
      }
    } catch (error) {
      if (!(error instanceof IncompleteJsonError)) throw error;
      note('', error);
    }
  }

  /** @throws HearthError `invalid_value` if the file had no chat. */
  report(): ImportReport {
    if (this.#format === undefined) {
      const problem = this.#firstProblem === undefined ? '' : ` ${this.#firstProblem}`;
      throw new HearthError(
        'invalid_value',
        `The file is not an export of Hearth, ChatGPT, Claude, Open WebUI or LM Studio.${problem}`,
      );
    }
    return {
      format: this.#format,
      ...this.#counts,
      skipped: this.#skipped,
      leftOut: this.#leftOut,
      conversations: this.#conversations,
    };
  }

  #skip(skipped: Skipped): void {
    this.#counts.skippedCount += 1;
    if (this.#skipped.length < maxListed) this.#skipped.push(skipped);
  }

  async #take(value: unknown, format: Format): Promise<void> {
    const { ownerId, isDryRun } = this.#options;
    const reader = readers.find((each) => each.format === format);
    const chat = reader?.read(value);
    const conversation = chat === undefined ? readHearthExport(value) : toConversation(chat);
    const hash = importHash(conversation);
    const present = await this.#store.conversations.importedHashes(ownerId, [hash]);
    if (present.has(hash) || this.#known.has(hash)) {
      this.#counts.presentCount += 1;
      return;
    }
    const id = isDryRun ? undefined : await this.#import(conversation);
    this.#known.add(hash);
    const { title } = conversation;
    this.#counts.conversationCount += 1;
    this.#counts.responseCount += conversation.responses.length;
    for (const kind of ['images', 'files', 'parts'] as const) {
      this.#leftOut[kind] += chat?.leftOut[kind] ?? 0;
    }
    if (this.#conversations.length < maxListed) {
      this.#conversations.push(id === undefined ? { title } : { id, title });
    }
  }

  async #import(conversation: ConversationToImport): Promise<string> {
    const { id } = await importConversation(this.#store, conversation, this.#options);
    return id;
  }
}

function formatOf(value: unknown): Format | undefined {
  if (isHearthExport(value)) return 'hearth';
  return readers.find((reader) => reader.recognizes(value))?.format;
}

/** @throws ImportError */
function parse(bytes: JsonValue): unknown {
  if (bytes === undefined) {
    throw new ImportError(`It has more than ${maxChatBytes} bytes.`);
  }
  const { valueCount, fieldCount, depth } = measureJson(bytes, limits);
  if (valueCount > limits.valueCount || fieldCount > limits.fieldCount || depth > limits.depth) {
    throw new ImportError('It has too many values, or is nested too deeply.');
  }
  try {
    return parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new ImportError('It is not JSON in UTF-8.');
  }
}

/**
 * The reason to skip a chat.
 *
 * @throws The error itself if its cause is not the chat.
 */
function reasonOf(error: unknown): string {
  if (error instanceof ImportError || error instanceof IncompleteJsonError) return error.message;
  const isOfChat = error instanceof HearthError && error.code.startsWith('invalid_');
  // A tool's JSON may be nested too deeply.
  if (isOfChat || error instanceof RangeError) return error.message;
  throw error;
}
