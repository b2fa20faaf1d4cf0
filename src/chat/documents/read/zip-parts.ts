import { TextDecoder } from 'node:util';
import { fromBufferPromise, type Entry, type ZipFile } from 'yauzl';
import { damaged, DocumentError } from './document.ts';

const maxEntries = 10_000;
/** Maximum total size of all parts that are read. */
const maxUnpackedBytes = 300_000_000;

/** The parts of an Office file or book, unpacked in memory while they are read. */
export class ZipParts {
  readonly #zip: ZipFile;
  readonly #entries: ReadonlyMap<string, Entry>;
  #unpackedBytes = 0;

  private constructor(zip: ZipFile, entries: ReadonlyMap<string, Entry>) {
    this.#zip = zip;
    this.#entries = entries;
  }

  /** @throws DocumentError if the archive is damaged or has too many parts. */
  static async open(bytes: Buffer): Promise<ZipParts> {
    try {
      const zip = await fromBufferPromise(bytes, { lazyEntries: true });
      if (zip.entryCount > maxEntries) throw tooManyParts();
      const entries = new Map<string, Entry>();
      for await (const entry of zip.eachEntry()) {
        entries.set(entry.fileName, entry);
        if (entries.size > maxEntries) throw tooManyParts();
      }
      return new ZipParts(zip, entries);
    } catch (error) {
      throw damaged(error);
    }
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  /**
   * Yields the text of a part in pieces; yields nothing if the file has no such part.
   *
   * @throws DocumentError if the part is damaged, encrypted or too large.
   */
  async *read(name: string): AsyncGenerator<string> {
    const entry = this.#entries.get(name);
    if (entry === undefined) return;
    if (entry.isEncrypted())
      throw new DocumentError('is protected with a password. Remove the password and try again.');
    this.#unpackedBytes += entry.uncompressedSize;
    if (this.#unpackedBytes > maxUnpackedBytes) {
      const limit = `${maxUnpackedBytes / 1_000_000} MB`;
      throw new DocumentError(
        `unpacks to more than ${limit}. Divide it, or remove sheets or pages.`,
      );
    }
    try {
      const content = await this.#zip.openReadStreamPromise(entry);
      let decoder: TextDecoder | undefined;
      for await (const piece of content as AsyncIterable<Buffer>) {
        decoder ??= new TextDecoder(hasUtf16Mark(piece) ? 'utf-16le' : 'utf-8');
        yield decoder.decode(piece, { stream: true });
      }
      yield decoder?.decode() ?? '';
    } catch (error) {
      throw damaged(error);
    }
  }

  /** Reads a small part as a whole. */
  async readWhole(name: string): Promise<string> {
    let text = '';
    for await (const piece of this.read(name)) {
      text += piece;
      if (text.length > 1_000_000) throw new DocumentError(`has a part ${name} that is too long.`);
    }
    return text;
  }
}

function hasUtf16Mark(bytes: Buffer): boolean {
  return bytes[0] === 0xff && bytes[1] === 0xfe;
}

function tooManyParts(): DocumentError {
  return new DocumentError(`has more than ${maxEntries} parts. Divide it, or remove pictures.`);
}
