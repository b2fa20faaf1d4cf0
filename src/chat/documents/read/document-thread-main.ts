/** Entry point of the threads of `DocumentReader`; reads one file. */
import { parentPort, workerData } from 'node:worker_threads';
import { damaged, DocumentError, tooMuchMemory } from './document.ts';
import type { DocumentReply, DocumentRequest } from './document-reader.ts';
import { limitMemory } from './limit-memory.ts';
import { readDocument } from './read-document.ts';

const { name, bytes, memoryMb } = workerData as DocumentRequest;

let isSent = false;

function send(reply: DocumentReply): void {
  isSent = true;
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(reply);
}

async function read(): Promise<DocumentReply> {
  try {
    return { document: await readDocument(name, Buffer.from(bytes.buffer)) };
  } catch (error) {
    if (error instanceof DocumentError) return { message: error.message };
    throw error;
  }
}

// Some damaged PDFs leave a promise of pdf.js pending, so that the thread ends without a reply.
process.once('exit', () => {
  if (!isSent) send({ message: damaged().message });
});
limitMemory(memoryMb * 1_000_000, () => {
  send({ message: tooMuchMemory(memoryMb) });
  process.exit();
});
send(await read());
