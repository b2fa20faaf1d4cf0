import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import type { Logger } from '../kernel/logger.ts';

/** A certificate chain and its private key (PEM). */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
  /** SHA-256 of the certificate, such as `AB:CD:…`. */
  readonly fingerprint: string;
}

interface TlsFiles {
  readonly first: KeyPair;
  /** Reads the files again if they have changed, and reports the new pair if it is valid. */
  check(): Promise<void>;
  close(): void;
}

interface TlsFilesOptions {
  readonly certFile: string;
  readonly keyFile: string;
  readonly onChange: (pair: KeyPair) => void | Promise<void>;
  readonly logger: Logger;
  readonly intervalMs?: number;
}

/** The files are polled, not watched, since programs that renew certificates replace files, links or whole folders. */
const defaultIntervalMs = 10_000;

/**
 * Reads a certificate and its key, and reads them again whenever the files change. If a new pair can't be used, logs it
 * and keeps the previous one.
 *
 * @throws Error with the file and the reason if the first pair can't be used.
 */
export async function openTlsFiles(options: TlsFilesOptions): Promise<TlsFiles> {
  const { certFile, keyFile, onChange, logger, intervalMs = defaultIntervalMs } = options;
  let version = await versionOf(certFile, keyFile);
  const first = await readPair(certFile, keyFile);
  let current = first;

  async function check(): Promise<void> {
    const present = await versionOf(certFile, keyFile);
    if (present === version) return;
    version = present;
    try {
      const pair = await readPair(certFile, keyFile);
      if (pair.cert === current.cert && pair.key === current.key) return;
      current = pair;
      await onChange(pair);
      logger.info({ fingerprint: pair.fingerprint }, 'certificate replaced');
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      logger.error({ reason }, 'the changed certificate cannot be used; the one before stays');
    }
  }

  const timer = setInterval(() => void check(), intervalMs).unref();
  return { first, check, close: () => clearInterval(timer) };
}

async function readPair(certFile: string, keyFile: string): Promise<KeyPair> {
  const cert = await readPem('server.tls.cert', certFile);
  const key = await readPem('server.tls.key', keyFile);
  const certificate = parse('server.tls.cert', certFile, () => new X509Certificate(cert));
  const privateKey = parse('server.tls.key', keyFile, () => createPrivateKey(key));
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new Error(`server.tls.key: ${keyFile} is not the key of the certificate ${certFile}.`);
  }
  parse('server.tls.cert', certFile, () => createSecureContext({ cert, key }));
  return { cert, key, fingerprint: certificate.fingerprint256 };
}

async function readPem(setting: string, file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new Error(
      `${setting}: ${file} can't be read (${(error as NodeJS.ErrnoException).code}).`,
      {
        cause: error,
      },
    );
  }
}

function parse<Result>(setting: string, file: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    const kind = setting.endsWith('key') ? 'a private key without a passphrase' : 'a certificate';
    throw new Error(`${setting}: ${file} is not ${kind} (PEM).`, { cause: error });
  }
}

/** A version that changes with the content of the files. */
async function versionOf(...files: readonly string[]): Promise<string> {
  const versions = await Promise.all(
    files.map((file) =>
      stat(file, { bigint: true }).then(
        ({ mtimeNs, ino, size }) => `${mtimeNs} ${ino} ${size}`,
        () => 'absent',
      ),
    ),
  );
  return versions.join(', ');
}
