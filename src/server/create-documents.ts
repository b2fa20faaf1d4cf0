import { join } from 'node:path';
import { DocumentReader } from '../chat/documents/read/document-reader.ts';
import { packageFolder } from '../platform/files/package-folder.ts';
import { Indexer, type IndexerOptions } from '../chat/documents/search/indexer.ts';
import { ProjectFiles } from '../chat/documents/search/project-files.ts';
import { VectorStores, type VectorStoresOptions } from '../chat/documents/search/vector-stores.ts';

/** Limited, since a search compares all passages of a vector store. */
const limits = { maxStores: 100, maxFiles: 10_000, maxPassages: 100_000 };

/**
 * Creates the document reader, the vector stores that search documents, and the indexer of their
 * files.
 */
export function createDocuments(
  parts: Omit<VectorStoresOptions, 'indexer' | 'maxStores' | 'maxFiles'> &
    Omit<IndexerOptions, 'documents' | 'maxPassages'>,
) {
  const documents = new DocumentReader(join(packageFolder, 'dist/document-thread.js'));
  const indexer = new Indexer({ ...parts, ...limits, documents });
  const vectorStores = new VectorStores({ ...parts, ...limits, indexer });
  const projectFiles = new ProjectFiles({ store: parts.store, vectorStores });
  return { documents, indexer, vectorStores, projectFiles };
}
