import { TimeSlice } from '../../../kernel/concurrency/time-slice.ts';
import { HearthError } from '../../../kernel/errors/errors.ts';
import { vectorStoreOf, type StoredProject } from '../../../store/project.ts';
import type { Store } from '../../../store/store.ts';
import type { Caller, RequestContext } from '../../../kernel/request/request-context.ts';
import { filePart, passagesPart, type CitablePassage } from './project-parts.ts';
import { splitPassages } from './split-passages.ts';
import type { VectorStores } from './vector-stores.ts';
import { WordMatches } from './word-matches.ts';

interface ProjectFilesOptions {
  readonly store: Pick<Store, 'projects' | 'vectorStores'>;
  readonly vectorStores: Pick<VectorStores, 'addProject' | 'search'>;
}

/** A message that will begin with files of its project. */
export interface ProjectMessage {
  /** The user's text. */
  readonly text: string;
  /** Length of the model's context in tokens. */
  readonly contextLength: number;
  /** Text parts of the earlier messages in the conversation. */
  readonly sentTexts: ReadonlySet<string>;
  /** Number of tokens in the conversation so far. */
  readonly usedTokens: number;
}

/** How the files of a project are searched. `whole` means not at all: they are short, and messages contain all of them. */
type ProjectSearch = 'whole' | 'indexing' | 'meaning_and_words' | 'words';

/** Characters per token in alphabetic scripts. Low, since most languages and code have three to four. */
const charactersPerToken = 3;
/** Characters that count as one token each: the scripts from Devanagari on, such as Chinese, Japanese and Thai. */
const denseCharacters = /[\u0900-\uffff]/g;
/** Maximum share of the context for whole files; the rest is for messages and answers. */
const shareOfWhole = 0.6;
/** Share of the unused context for passages. */
const shareOfPassages = 0.3;
/** More passages would take long to read and help little. */
const maxPassages = { count: 12, tokens: 4000 };
/**
 * Maximum characters of files that are not indexed at once, since they fit into the context of most models. If they do
 * not fit, they are indexed then.
 */
const maxUnindexed = 7000;
/** Maximum characters of a query, since embedding models read only a few hundred tokens. */
const queryLength = 1000;
/** Passages for the search by words, in estimated tokens. */
const chunking = { maxTokens: 256, overlapTokens: 32 };

type Found = Pick<CitablePassage, 'text'> & { readonly fileId: string };

/** Adds the files of projects to messages: whole if they fit into the context, or else the most relevant passages. */
export class ProjectFiles {
  readonly #options: ProjectFilesOptions;

  constructor(options: ProjectFilesOptions) {
    this.#options = options;
  }

  /** Starts to index the files of a project if they are long and there is an embedding model. Does not throw. */
  async index(project: StoredProject, context: RequestContext): Promise<void> {
    if (lengthOf(project) > maxUnindexed) await this.#index(project, context);
  }

  async searchOf(project: StoredProject, caller: Caller): Promise<ProjectSearch> {
    return lengthOf(project) <= maxUnindexed ? 'whole' : this.#indexedSearchOf(project, caller);
  }

  async #index(project: StoredProject, context: RequestContext): Promise<void> {
    try {
      await this.#options.vectorStores.addProject(project, context);
    } catch (error) {
      const level = error instanceof HearthError ? 'info' : 'warn';
      context.logger[level]({ err: error }, 'the files of a project are not indexed');
    }
  }

  async #indexedSearchOf(
    project: StoredProject,
    { tokenId }: Caller,
  ): Promise<Exclude<ProjectSearch, 'whole'>> {
    const found = await this.#options.store.vectorStores.find(vectorStoreOf(project), tokenId);
    const { completed = 0, in_progress: pending = 0 } = found?.counts ?? {};
    if (pending > 0) return 'indexing';
    return completed >= project.files.length ? 'meaning_and_words' : 'words';
  }

  /** The parts to put at the beginning of a message in a project. */
  async partsFor(
    project: StoredProject,
    message: ProjectMessage,
    context: RequestContext,
  ): Promise<readonly string[]> {
    const whole = await this.#wholeParts(project, message, context);
    if (whole !== undefined) return whole;
    const { text, contextLength, usedTokens } = message;
    if (text.trim() === '') return [];
    const free = Math.max(0, contextLength - usedTokens);
    const room = Math.min(maxPassages.tokens, free * shareOfPassages);
    const passages = await this.#locate(project, await this.#search(project, text, context), {
      room,
      context,
    });
    return passages.length === 0 ? [] : [passagesPart(passages)];
  }

  /** The whole files that the conversation does not contain yet; undefined if the files are too long for the context. */
  async #wholeParts(
    project: StoredProject,
    { contextLength, usedTokens, sentTexts }: ProjectMessage,
    context: RequestContext,
  ): Promise<readonly string[] | undefined> {
    const room = contextLength * shareOfWhole;
    if (lengthOf(project) > room * charactersPerToken) return undefined;
    const files = await Promise.all(
      project.files.map(({ id }) => this.#read(project, id, context)),
    );
    const parts = files.flatMap((file) => (file === undefined ? [] : filePart(file)));
    const lacking = parts.filter((part) => !sentTexts.has(part));
    const free = Math.max(0, contextLength - usedTokens) * shareOfWhole;
    return tokensOf(parts) <= room && tokensOf(lacking) <= free ? lacking : undefined;
  }

  async #search(
    project: StoredProject,
    text: string,
    context: RequestContext,
  ): Promise<readonly Found[]> {
    const queries = [...new Set([text.slice(0, queryLength), text.slice(-queryLength)])].map(
      (query) => query.toWellFormed(),
    );
    await this.#index(project, context);
    if ((await this.#indexedSearchOf(project, context.caller)) === 'meaning_and_words') {
      try {
        const options = {
          vectorStoreIds: [vectorStoreOf(project)],
          maxResults: maxPassages.count,
        };
        return await this.#options.vectorStores.search(queries, options, context);
      } catch (error) {
        context.signal.throwIfAborted();
        if (!(error instanceof HearthError)) throw error;
        context.logger.warn({ err: error }, 'the files of a project are searched by their words');
      }
    }
    return this.#searchWords(project, queries, context);
  }

  async #searchWords(
    project: StoredProject,
    queries: readonly string[],
    context: RequestContext,
  ): Promise<readonly Found[]> {
    const words = new WordMatches<Found>(queries);
    const slice = new TimeSlice();
    for (const { id: fileId } of project.files) {
      const file = await this.#read(project, fileId, context);
      for (const text of splitPassages(file?.text ?? '', chunking)) {
        words.add({ fileId, text }, text);
        if (slice.isOver) await slice.pause();
        context.signal.throwIfAborted();
      }
    }
    return words
      .shares()
      .toSorted((left, right) => right.share - left.share)
      .slice(0, maxPassages.count)
      .map(({ item }) => item);
  }

  /** The first passages that fit, but at least one, with the places where they are in the files. */
  async #locate(
    project: StoredProject,
    found: readonly Found[],
    { room, context }: { readonly room: number; readonly context: RequestContext },
  ): Promise<readonly CitablePassage[]> {
    const files = new Map<string, { readonly name: string; readonly text: string }>();
    const passages: CitablePassage[] = [];
    let tokens = 0;
    for (const { fileId, text } of found) {
      tokens += tokensOf([text]);
      if (passages.length > 0 && tokens > room) break;
      const file = files.get(fileId) ?? (await this.#read(project, fileId, context));
      if (file === undefined) continue;
      files.set(fileId, file);
      const start = file.text.indexOf(text);
      if (start === -1) {
        passages.push({ source: file.name, text });
        continue;
      }
      const first = countLines(file.text, start);
      const last = first + countLines(text, text.length) - 1;
      const place = first === last ? `line ${first}` : `lines ${first} to ${last}`;
      passages.push({ source: `${file.name}, ${place}`, text });
    }
    return passages;
  }

  #read(project: StoredProject, fileId: string, { caller }: RequestContext) {
    return this.#options.store.projects.readFile(project.id, caller.tokenId, fileId);
  }
}

function lengthOf({ files }: StoredProject): number {
  return files.reduce((sum, { length }) => sum + length, 0);
}

/** Estimates tokens, rather too many than too few. */
function tokensOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => {
    const sparse = text.replaceAll(denseCharacters, '').length;
    return sum + text.length - sparse + sparse / charactersPerToken;
  }, 0);
}

/** Number of the line, from 1, that contains position `end`. */
function countLines(text: string, end: number): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < end; at = text.indexOf('\n', at + 1))
    lines += 1;
  return lines;
}
