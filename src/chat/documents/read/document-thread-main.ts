/** Entry point of the threads of `DocumentReader`; reads one file. */
import { parentPort, workerData } from 'node:worker_threads';
import { DocumentError } from './document.ts';
import type { DocumentReply, DocumentRequest } from './document-reader.ts';
import { readDocument } from './read-document.ts';

const { name, bytes } = workerData as DocumentRequest;

async function reply(): Promise<DocumentReply> {
  try {
    return { document: await readDocument(name, Buffer.from(bytes.buffer)) };
  } catch (error) {
    if (error instanceof DocumentError) return { message: error.message };
    throw error;
  }
}

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
parentPort?.postMessage(await reply());
