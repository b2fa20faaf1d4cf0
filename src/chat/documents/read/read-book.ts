import { posix } from 'node:path';
import { DocumentError } from './document.ts';
import { htmlToMarkdown } from './html-to-markdown.ts';
import type { MarkdownWriter } from './markdown-writer.ts';
import { readXml } from './read-xml.ts';
import type { ZipParts } from './zip-parts.ts';

/** Reads the chapters of an EPUB (EPUB 3.3) in reading order. */
export async function readBook(parts: ZipParts, writer: MarkdownWriter): Promise<void> {
  const chapters = await listChapters(parts);
  const encrypted = await listEncrypted(parts);
  if (chapters.some((part) => encrypted.has(part)))
    throw new DocumentError('is protected against copying (DRM). Use a file without protection.');
  let number = 0;
  for (const part of chapters) {
    number += 1;
    writer.section({ kind: 'chapter', number });
    await htmlToMarkdown(parts.read(part), writer);
  }
}

async function listChapters(parts: ZipParts): Promise<readonly string[]> {
  let root: string | undefined;
  await readXml(parts.read('META-INF/container.xml'), {
    open: (name, attributes) => {
      if (name === 'rootfile') root ??= attributes['full-path'];
    },
  });
  if (root === undefined)
    throw new DocumentError('is damaged: it has no list of its chapters. Save it again.');
  const folder = posix.dirname(root);
  const items = new Map<string, string>();
  const chapters: string[] = [];
  await readXml(parts.read(root), {
    open: (name, { id = '', href = '', idref = '' }) => {
      if (name === 'item') items.set(id, posix.join(folder, decodePath(href)));
      if (name === 'itemref') chapters.push(items.get(idref) ?? '');
    },
  });
  return chapters.filter((part) => parts.has(part));
}

/** Names of encrypted parts; often only fonts are encrypted. */
async function listEncrypted(parts: ZipParts): Promise<ReadonlySet<string>> {
  const encrypted = new Set<string>();
  await readXml(parts.read('META-INF/encryption.xml'), {
    open: (name, attributes) => {
      if (name === 'CipherReference') encrypted.add(decodePath(attributes['URI'] ?? ''));
    },
  });
  return encrypted;
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
