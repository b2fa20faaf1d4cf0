import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { exists } from '../link-or-rename.ts';
import { matchesChecksum } from './content-hash.ts';
import type { FileAddress } from '../hub/model-sources.ts';
import type { DownloadFile, DownloadPlan } from './downloads.ts';
import { isFileOfSize } from './find-present.ts';
import { runTaskGroup } from '../../kernel/concurrency/task-group.ts';
import { Semaphore } from '../../kernel/concurrency/semaphore.ts';
import {
  assertSafePlan,
  findModelFolder,
  partPath,
  publishFile,
  publishingOrder,
  removeStaging,
  stagingFolder,
  targetExists,
} from './staging.ts';
import { readStagedBytes, transferFile, type TransferSettings } from './transfer-file.ts';

interface DownloadRun {
  readonly jobId: string;
  readonly plan: DownloadPlan;
  readonly addressOf: (plan: DownloadPlan, path: string) => FileAddress;
  readonly modelsFolder: string;
  readonly settings: TransferSettings;
  readonly signal: AbortSignal;
  /** Called whenever the number of bytes on disk changes, with the sum over all files. */
  readonly onReceived: (bytes: number) => void;
  /** Called before the transfer; throws if the disk has too little space for the rest. */
  readonly assertRoom: () => Promise<void>;
}

type StagedJob = Pick<DownloadRun, 'jobId' | 'plan' | 'modelsFolder' | 'settings'>;

interface StagedFile extends DownloadFile {
  readonly index: number;
  readonly partPath: string;
  readonly identity: string;
  readonly targetPath: string;
  isInLibrary: boolean;
  receivedBytes: number;
}

/**
 * Downloads a model into the library, resuming an earlier run: fetches every file, and moves the files
 * to their places when all are complete and checked.
 *
 * @throws The error that stopped the download; the bytes on disk are kept for the next run.
 */
export async function runDownload(run: DownloadRun): Promise<void> {
  const { jobId, plan, modelsFolder, settings, signal } = run;
  assertSafePlan(plan);
  const files = await findFiles(run);
  const report = (): void => run.onReceived(sumReceived(files));
  report();
  await run.assertRoom();

  const connections = new Semaphore(settings.connectionsPerJob);
  const queue = files.filter(({ isInLibrary }) => !isInLibrary).values();
  const work = async (stop: AbortSignal): Promise<void> => {
    for (const file of queue) await fetchFile(run, file, connections, report, stop);
  };
  await runTaskGroup(
    signal,
    Array.from({ length: settings.connectionsPerJob }, () => work),
  );

  for (const file of publishingOrder(files)) {
    if (!file.isInLibrary) await publish(file, signal);
  }
  await removeStaging(modelsFolder, jobId);
}

/**
 * Bytes of a job that an earlier run left on disk, according to the progress files. Does not check their content.
 *
 * @throws HearthError `invalid_value` for an unsafe plan.
 */
export async function countStagedBytes(job: StagedJob): Promise<number> {
  assertSafePlan(job.plan);
  let bytes = 0;
  for (const file of await stagedFiles(job)) {
    if (await isFileOfSize(file.targetPath, file.sizeBytes)) bytes += file.sizeBytes;
    else bytes += await readStagedBytes(file, job.settings).catch(() => 0);
  }
  return bytes;
}

async function findFiles(run: DownloadRun): Promise<readonly StagedFile[]> {
  const { jobId, modelsFolder, settings, signal } = run;
  await mkdir(stagingFolder(modelsFolder, jobId), { recursive: true });
  const files = await stagedFiles(run);
  for (const staged of files) {
    if (await exists(staged.targetPath)) {
      // Another download may have put the file there, or an earlier run that was stopped between two files.
      if (!(await isSame(staged, signal))) throw targetExists(staged.targetPath);
      staged.isInLibrary = true;
      staged.receivedBytes = staged.sizeBytes;
    } else staged.receivedBytes = await readStagedBytes(staged, settings);
  }
  return files;
}

async function stagedFiles({
  jobId,
  plan,
  modelsFolder,
}: StagedJob): Promise<readonly StagedFile[]> {
  const folder = await findModelFolder(modelsFolder, plan);
  return plan.files.map((file, index) => ({
    ...file,
    index,
    partPath: partPath(modelsFolder, jobId, index),
    identity: [plan.owner, plan.name, plan.commit, file.path, file.checksum.hex].join('\n'),
    targetPath: join(folder, file.target),
    isInLibrary: false,
    receivedBytes: 0,
  }));
}

async function publish(file: StagedFile, signal: AbortSignal): Promise<void> {
  try {
    await publishFile(file.partPath, file.targetPath, signal);
  } catch (error) {
    signal.throwIfAborted();
    // Another download may have published it meanwhile, such as another quantization with the same projector.
    if (!(await isSame(file, signal))) throw error;
  }
}

async function isSame(file: StagedFile, signal: AbortSignal): Promise<boolean> {
  const found = await stat(file.targetPath).catch(() => null);
  return (
    found?.isFile() === true &&
    (await matchesChecksum(file.targetPath, file.sizeBytes, file.checksum, signal))
  );
}

function fetchFile(
  { plan, addressOf, settings }: DownloadRun,
  file: StagedFile,
  connections: Semaphore,
  report: () => void,
  signal: AbortSignal,
): Promise<void> {
  const { path, sizeBytes, checksum } = file;
  return transferFile({
    source: { ...addressOf(plan, path), path, sizeBytes },
    checksum,
    partPath: file.partPath,
    identity: file.identity,
    connections,
    settings,
    signal,
    onReceived: (bytes) => {
      file.receivedBytes = bytes;
      report();
    },
  });
}

function sumReceived(files: readonly StagedFile[]): number {
  return files.reduce((sum, { receivedBytes }) => sum + receivedBytes, 0);
}
