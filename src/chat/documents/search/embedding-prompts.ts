import type { ModelEntry } from '../../../library/model.ts';

interface EmbeddingPrompts {
  /** Prefix for the text of a document. */
  readonly document: string;
  /** Prefix for a query. */
  readonly query: string;
}

/** Prefixes that the authors of a model recommend, by architecture or key. Other models get the text without a prefix. */
const prompts: readonly (EmbeddingPrompts & { readonly isFor: RegExp })[] = [
  // https://huggingface.co/nomic-ai/nomic-embed-text-v1.5#task-instruction-prefixes
  { isFor: /^nomic-bert/, document: 'search_document: ', query: 'search_query: ' },
  // https://huggingface.co/google/embeddinggemma-300m#prompt-instructions
  {
    isFor: /^gemma-embedding/,
    document: 'title: none | text: ',
    query: 'task: search result | query: ',
  },
  // https://huggingface.co/Qwen/Qwen3-Embedding-0.6B#usage
  {
    isFor: /^qwen3/,
    document: '',
    query:
      'Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:',
  },
  // https://huggingface.co/intfloat/multilingual-e5-small#usage
  { isFor: /\/(?:multilingual-)?e5-/, document: 'passage: ', query: 'query: ' },
];

export function promptsOf({ architecture, key }: ModelEntry): EmbeddingPrompts {
  const found = prompts.find(({ isFor }) => isFor.test(architecture) || isFor.test(key));
  return found ?? { document: '', query: '' };
}
