import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import OpenAI, { toFile } from 'openai';
import * as z from 'zod';
import { packageFolder } from '../../src/platform/files/package-folder.ts';
import { passagesPerBlock } from '../../src/chat/documents/search/indexer.ts';
import { splitPassages } from '../../src/chat/documents/search/split-passages.ts';
import type { Endpoint } from '../client/endpoint.ts';
import { post } from '../client/post.ts';
import { toRow } from '../row.ts';
import type { HearthSubject } from '../subjects/hearth-subject.ts';
import { interleave } from './interleave.ts';
import type { Measurement } from './measurement.ts';

const questionsSchema = z.object({
  questions: z.array(z.tuple([z.string(), z.string()])).min(1),
});
/** Approximate size of a printed page. */
const wordsPerPage = 500;
const pagesPerFile = 50;
/** Passage sizes of vector stores for models that read 512 tokens. */
const chunking = { maxTokens: 256, overlapTokens: 32 };
const results = 5;

/**
 * Measures how many pages a vector store indexes per second, compared with a loop that sends the same passages to a
 * bare server. Also measures how often one of five results is from the page of Hearth's documentation that answers a
 * question.
 */
export const measureDocumentSearch: Measurement = async ({ options, hearth, other, signal }) => {
  const { rounds, isQuick } = options;
  if (other.embeddings === undefined) return [];
  const client = new OpenAI({ baseURL: `${hearth.url}/v1`, apiKey: 'none' });
  const { questions } = questionsSchema.parse(
    JSON.parse(await readFile(join(packageFolder, 'bench/questions/documentation.json'), 'utf8')),
  );
  const names = [...new Set(questions.map(([, name]) => name))];
  const pages = new Map<string, string>();
  for (const name of names) {
    pages.set(fileOf(name), await readFile(join(packageFolder, `docs/${name}.md`), 'utf8'));
  }

  const pageCount = isQuick ? 50 : 1000;
  const files = booksOf([...pages.values()].join('\n').split(/\s+/), pageCount);
  const bare = other.embeddings;
  const samples = await interleave(
    rounds,
    {
      hearth: async () => {
        const store = await index(client, hearth, files);
        await store.remove();
        return store.seconds;
      },
      other: () => embedInLoop(bare, files, signal),
    },
    async (run) => [pageCount / (await run())],
  );
  const target = { of: 'ratio', atLeast: 0.9 } as const;
  const name = `documents, ${pageCount} pages of ${wordsPerPage} words indexed`;

  const { id, remove } = await index(client, hearth, pages);
  const byMeaning = await recallOf(client, id, questions, {
    hybrid_search: { embedding_weight: 1, text_weight: 0 },
  });
  const joined = await recallOf(client, id, questions, {});
  await remove();
  const recall = `documents, recall@${results} of ${questions.length} questions`;
  return [
    toRow({ name, unit: 'pages/s', target }, samples.hearth, samples.other),
    toRow({ name: `${recall}, by meaning`, unit: 'share' }, [[byMeaning]]),
    toRow({ name: `${recall}, by meaning and words`, unit: 'share' }, [[joined]]),
  ];
};

/** The server keeps the last part of a file's name only. */
function fileOf(page: string): string {
  return `${basename(page)}.md`;
}

/** Text files by name. Each begins at another word, so that no two passages are equal. */
function booksOf(words: readonly string[], pageCount: number): ReadonlyMap<string, string> {
  const books = new Map<string, string>();
  for (let page = 0; page < pageCount; page += 1) {
    const text = Array.from({ length: wordsPerPage }, (_, position) => {
      const word = words[(page * (wordsPerPage + 7) + position) % words.length] ?? '';
      return position % 15 === 0 ? `${page}. ${word}` : word;
    }).join(' ');
    const name = `book-${Math.floor(page / pagesPerFile)}.md`;
    books.set(name, `${books.get(name) ?? ''}${text}\n\n`);
  }
  return books;
}

/** Creates a vector store; measures the time from when the files are uploaded until all are indexed. */
async function index(
  client: OpenAI,
  hearth: HearthSubject,
  files: ReadonlyMap<string, string>,
): Promise<{
  readonly id: string;
  readonly seconds: number;
  readonly remove: () => Promise<void>;
}> {
  const fileIds: string[] = [];
  for (const [name, text] of files) {
    const file = await toFile(Buffer.from(text), name);
    fileIds.push((await client.files.create({ file, purpose: 'user_data' })).id);
  }
  const model = { embedding_model: hearth.embeddings.model };
  const { id } = await client.vectorStores.create({ name: 'bench', ...model });
  const startedAt = performance.now();
  const batch = await client.vectorStores.fileBatches.createAndPoll(
    id,
    { file_ids: fileIds },
    { pollIntervalMs: 50 },
  );
  const seconds = (performance.now() - startedAt) / 1000;
  if (batch.file_counts.completed !== files.size) throw new Error(JSON.stringify(batch));
  const remove = async (): Promise<void> => {
    await client.vectorStores.delete(id);
    for (const fileId of fileIds) await client.files.delete(fileId);
  };
  return { id, seconds, remove };
}

/** Sends the passages of all files, one request after the other. @returns Duration in seconds. */
async function embedInLoop(
  endpoint: Endpoint,
  files: ReadonlyMap<string, string>,
  signal: AbortSignal,
): Promise<number> {
  const startedAt = performance.now();
  for (const text of files.values()) {
    const passages = [...splitPassages(text, chunking)];
    for (let start = 0; start < passages.length; start += passagesPerBlock) {
      const input = passages.slice(start, start + passagesPerBlock);
      await post(endpoint, { input, encoding_format: 'base64' }, signal);
    }
  }
  return (performance.now() - startedAt) / 1000;
}

/** Share of questions for which a result is from the page that answers them. */
async function recallOf(
  client: OpenAI,
  id: string,
  questions: readonly (readonly [question: string, page: string])[],
  ranking: object,
): Promise<number> {
  let found = 0;
  for (const [query, page] of questions) {
    const { data } = await client.vectorStores.search(id, {
      query,
      max_num_results: results,
      ranking_options: ranking,
    });
    if (data.some(({ filename }) => filename === fileOf(page))) found += 1;
  }
  return found / questions.length;
}
