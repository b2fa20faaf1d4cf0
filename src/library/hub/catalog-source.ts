import { rm } from 'node:fs/promises';
import * as z from 'zod';
import { HearthError } from '../../kernel/errors/errors.ts';
import type { Logger } from '../../kernel/logger.ts';
import { readIfPresent, replacePrivateFile } from '../../platform/files/private-file.ts';
import { createHttpClient, type HttpClient } from '../../platform/net/http-client.ts';
import { catalogEntries } from './catalog-entries.ts';
import {
  type CatalogDocument,
  isSigned,
  parseCatalogDocument,
  parsePublicKey,
} from './catalog-document.ts';
import type { Catalog } from './catalog.ts';
import { hubEgressPolicy } from './hub-endpoint.ts';

/** Where newer lists of models come from. */
export interface CatalogOrigin {
  /** Address of the list. Its signature is at the same path with `.sig` at the end. */
  readonly url: string;
  /** Ed25519 public key in Base64. */
  readonly key: string;
}

/** The origin and age of the list in the catalog. */
export interface CatalogState {
  /** Undefined for the list that ships with Hearth, as are the other fields. */
  readonly origin: CatalogOrigin | undefined;
  readonly version: string | undefined;
  /** Time of the last successful request to the address. */
  readonly checkedAt: Date | undefined;
}

interface SourceOptions {
  readonly catalog: Catalog;
  /** File that keeps the origin and its last valid list. */
  readonly file: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly logger: Logger;
}

const maxListBytes = 1024 * 1024;
const maxSignatureBytes = 1024;
const requestTimeoutMs = 30_000;
const refreshMs = 24 * 60 * 60 * 1000;

const keptSchema = z.object({
  url: z.url(),
  key: z.string(),
  checkedAt: z.iso.datetime(),
  /** The list exactly as it was signed. */
  document: z.string(),
});
type KeptList = z.infer<typeof keptSchema>;

/**
 * Replaces the shipped catalog with a signed list from an address that the administrator configures. Keeps the last
 * valid list, which is used if the address can't be reached later.
 */
export class CatalogSource {
  readonly #options: SourceOptions;
  #kept: KeptList | undefined;
  #version: string | undefined;

  constructor(options: SourceOptions) {
    this.#options = options;
  }

  /**
   * Uses the kept list, and looks for a newer one now and once a day until the signal aborts. If the kept file is
   * invalid, logs that and uses the shipped catalog.
   */
  async open(signal: AbortSignal): Promise<void> {
    const { file, logger } = this.#options;
    try {
      const text = await readIfPresent(file);
      if (text !== undefined) {
        const kept = keptSchema.parse(JSON.parse(text));
        this.#use(kept, parseCatalogDocument(kept.document));
      }
    } catch (err) {
      logger.warn({ err, file }, 'the kept catalog is invalid; the shipped one is used');
    }
    const refresh = () => {
      if (this.#kept === undefined) return;
      this.refresh(signal).catch((err: unknown) => {
        if (!signal.aborted) logger.warn({ err }, 'the catalog could not be refreshed');
      });
    };
    refresh();
    const timer = setInterval(refresh, refreshMs).unref();
    signal.addEventListener('abort', () => clearInterval(timer), { once: true });
  }

  state(): CatalogState {
    const kept = this.#kept;
    if (kept === undefined) return { origin: undefined, version: undefined, checkedAt: undefined };
    const { url, key, checkedAt } = kept;
    return { origin: { url, key }, version: this.#version, checkedAt: new Date(checkedAt) };
  }

  /**
   * Reads the list at an address, and uses this address from now on. If that fails, the catalog stays unchanged.
   *
   * @throws HearthError `invalid_value` for an invalid key, `hub_unreachable` if the list can't be read or is not
   * signed with the key; the signal's reason.
   */
  async set(origin: CatalogOrigin, signal: AbortSignal): Promise<CatalogState> {
    const { text, document } = await this.#read(origin, signal);
    await this.#keep(origin, text, document);
    return this.state();
  }

  /**
   * Reads the list at the configured address again.
   *
   * @throws HearthError `conflict` if no address is configured; `hub_unreachable` if the list is older than the present
   * one; the errors of `set`.
   */
  async refresh(signal: AbortSignal): Promise<CatalogState> {
    const { origin, version = '' } = this.state();
    if (origin === undefined) {
      throw new HearthError('conflict', 'The catalog has no source. Set one with its key first.');
    }
    const { text, document } = await this.#read(origin, signal);
    if (document.version < version) {
      throw unusable(
        origin.url,
        `has the version ${document.version}, which is older than ${version}`,
      );
    }
    await this.#keep(origin, text, document);
    return this.state();
  }

  /** Forgets the address and its list, and uses the shipped one. */
  async reset(): Promise<void> {
    await rm(this.#options.file, { force: true });
    this.#kept = undefined;
    this.#version = undefined;
    this.#options.catalog.replace(catalogEntries);
  }

  #use(kept: KeptList, { models, version }: CatalogDocument): void {
    this.#kept = kept;
    this.#version = version;
    this.#options.catalog.replace(models);
  }

  async #keep({ url, key }: CatalogOrigin, text: string, document: CatalogDocument): Promise<void> {
    const kept = { url, key, checkedAt: new Date().toISOString(), document: text };
    await replacePrivateFile(this.#options.file, `${JSON.stringify(kept, null, 2)}\n`);
    this.#use(kept, document);
  }

  async #read(
    { url, key }: CatalogOrigin,
    signal: AbortSignal,
  ): Promise<{ readonly text: string; readonly document: CatalogDocument }> {
    const publicKey = parsePublicKey(key);
    const { environment } = this.#options;
    const http = createHttpClient({ environment, egress: hubEgressPolicy(url) });
    const limited = AbortSignal.any([signal, AbortSignal.timeout(requestTimeoutMs)]);
    try {
      const bytes = await download(http, new URL(url), maxListBytes, limited);
      const signature = await download(http, signatureUrl(url), maxSignatureBytes, limited);
      if (!isSigned(bytes, signature, publicKey)) {
        throw new Error('is not signed with this key');
      }
      const text = bytes.toString();
      return { text, document: parseCatalogDocument(text) };
    } catch (error) {
      signal.throwIfAborted();
      throw unusable(url, error instanceof Error ? error.message : String(error), error);
    } finally {
      await http.close();
    }
  }
}

async function download(
  http: HttpClient,
  url: URL,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Buffer> {
  const response = await http.get(url, { signal, maxBytes });
  const pieces: Uint8Array[] = [];
  for await (const piece of response.body) pieces.push(piece);
  return Buffer.concat(pieces);
}

function signatureUrl(url: string): URL {
  const signature = new URL(url);
  signature.pathname += '.sig';
  return signature;
}

function unusable(url: string, reason: string, cause?: unknown): HearthError {
  const { host } = new URL(url);
  return new HearthError('hub_unreachable', `The catalog of ${host.slice(0, 100)}: ${reason}.`, {
    cause,
  });
}
