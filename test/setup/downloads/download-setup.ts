import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { startFakeHub, type FakeHub } from '../hub/fake-hub.ts';
import type { FakeFile } from '../hub/fake-hub-content.ts';
import { temporaryStore } from '../store/temporary-store.ts';
import { createModelLibrary } from '../../../src/library/library.ts';
import { createHttpClient, type HttpClient } from '../../../src/platform/net/http-client.ts';
import { createLogger } from '../../../src/telemetry/logger.ts';
import type { Store } from '../../../src/store/store.ts';
import {
  createDownloadManager,
  type ContinuableDownloadManager,
  type DownloadManagerOptions,
} from '../../../src/library/downloads/download-manager.ts';
import type {
  DownloadJob,
  DownloadManager,
  DownloadPlan,
} from '../../../src/library/downloads/downloads.ts';
import { temporaryFolder } from '../temporary-folder.ts';

export const repositoryName = 'Acme/Tiny-GGUF';
export const chunkBytes = 64 * 1024;

export interface DownloadSetup {
  readonly hub: FakeHub;
  readonly store: Store;
  readonly modelsFolder: string;
  /** Creates a manager on this folder and store, like a new process. It is closed after the test. */
  manager(
    options?: Partial<DownloadManagerOptions> & { readonly http?: HttpClient },
  ): ContinuableDownloadManager;
  /** Target path of a published file. */
  target(path: string): string;
  /** The content of a file on the hub. */
  content(path: string): Buffer;
  /** True if a published file equals the hub's file. */
  isRight(path: string): Promise<boolean>;
}

/**
 * A fake hub with one repository, and managers that download from it with small chunks and short waits.
 *
 * @param idleTimeoutMs Time without data after which a request fails.
 */
export async function setUpDownloads(
  files: Readonly<Record<string, FakeFile>>,
  idleTimeoutMs = 10_000,
): Promise<DownloadSetup> {
  const modelsFolder = await temporaryFolder();
  const hub = await startFakeHub({ repositories: [{ name: repositoryName, files }] });
  const store = await temporaryStore();
  const http = createHttpClient({ environment: {}, idleTimeoutMs });
  const stopping = new AbortController();
  const managers: DownloadManager[] = [];
  onTestFinished(async () => {
    for (const manager of managers) await manager.close();
    stopping.abort();
    await http.close();
    await hub.close();
  });
  const logger = createLogger('silent');
  const contentOf = (path: string) => {
    const stored = hub.repository(repositoryName).fileAt(path);
    if (stored === undefined) throw new Error(`no ${path}`);
    return stored.content;
  };
  const target = (path: string): string => join(modelsFolder, repositoryName, path);
  const content = (path: string): Buffer => {
    const source = contentOf(path);
    const pieces: Buffer[] = [];
    for (let offset = 0; offset < source.sizeBytes;) {
      const piece = source.read(offset, source.sizeBytes);
      pieces.push(piece);
      offset += piece.length;
    }
    return Buffer.concat(pieces);
  };
  return {
    hub,
    store,
    modelsFolder,
    target,
    content,
    isRight: async (path) => (await readFile(target(path))).equals(content(path)),
    manager(options = {}) {
      const manager = createDownloadManager({
        addressOf: ({ owner, name, commit }, path) => ({
          http: options.http ?? http,
          url: new URL(`${hub.url}/${owner}/${name}/resolve/${commit}/${path}`),
          headers: {},
        }),
        plan: async ({ model }) => planOf(hub, model, Object.keys(files)),
        store: store.downloads,
        modelsFolder,
        library: createModelLibrary({
          roots: [{ folder: modelsFolder }],
          logger,
          signal: stopping.signal,
        }),
        logger,
        ...options,
        transfer: {
          chunkBytes,
          retryPolicy: { maxFailures: 3, delayMs: () => 1 },
          ...options.transfer,
        },
      });
      managers.push(manager);
      return manager;
    },
  };
}

/** A plan for files of the hub. */
export function planOf(hub: FakeHub, model: string, paths: readonly string[]): DownloadPlan {
  const repository = hub.repository(repositoryName);
  const [owner = '', name = ''] = repositoryName.split('/');
  return {
    model,
    owner,
    name,
    commit: repository.commit,
    quantization: null,
    files: paths.map((path) => {
      const content = repository.fileAt(path)?.content;
      if (content === undefined) throw new Error(`no ${path}`);
      const { sizeBytes } = content;
      return {
        path,
        target: path,
        sizeBytes,
        checksum:
          sizeBytes > 1024
            ? { algorithm: 'sha256', hex: content.sha256() }
            : { algorithm: 'git-sha1', hex: content.gitSha1() },
      };
    }),
  };
}

/** Starts the download of the repository and returns its job. */
export async function begin(manager: DownloadManager, model = repositoryName) {
  const start = await manager.start({ model }, new AbortController().signal);
  if (start.kind !== 'job') throw new Error(`it is ${start.kind}`);
  return start.job;
}

/** Polls a job until a condition holds. */
export async function untilJob(
  manager: DownloadManager,
  id: string,
  isReached: (job: DownloadJob) => boolean,
): Promise<DownloadJob> {
  for (;;) {
    const job = await manager.find(id);
    if (isReached(job)) return job;
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}

/** Waits until a job has ended. */
export function untilEnded(manager: DownloadManager, id: string): Promise<DownloadJob> {
  return untilJob(manager, id, ({ status }) => status === 'completed' || status === 'failed');
}
