import { fork } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { projectFolder } from '../setup/project-folder.ts';
import { makeFolder, removeFolder } from '../setup/temporary-folder.ts';
import type { FuzzFinding, FuzzReport, FuzzTask } from './fuzz-main.ts';

/** Maximum time for one input, even on a busy machine. */
const hangMs = 20_000;
const maxHeapMiB = 768;

type FuzzOptions = Omit<FuzzTask, 'currentFile'>;

/** Fuzzes a target in a separate process. A hang, a crash or exhausted memory is a finding. */
export async function runFuzzer(options: FuzzOptions): Promise<FuzzReport> {
  const folder = await makeFolder();
  try {
    const script = join(folder, 'fuzz.mjs');
    await build({
      entryPoints: [join(import.meta.dirname, 'fuzz-main.ts')],
      outfile: script,
      bundle: true,
      packages: 'external',
      platform: 'node',
      format: 'esm',
      logLevel: 'error',
    });
    await symlink(join(projectFolder, 'node_modules'), join(folder, 'node_modules'), 'junction');
    return await runProcess(script, { ...options, currentFile: join(folder, 'current') });
  } finally {
    await removeFolder(folder);
  }
}

async function runProcess(script: string, task: FuzzTask): Promise<FuzzReport> {
  const child = fork(script, [], {
    cwd: projectFolder,
    execArgv: [`--max-old-space-size=${maxHeapMiB}`],
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
  });
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-4000);
  });
  let report: FuzzReport | undefined;
  child.once('message', (message) => {
    report = message as FuzzReport;
  });
  let isHanging = false;
  const watch = setInterval(() => {
    const started = statSync(task.currentFile, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    isHanging = Date.now() - started > hangMs;
    if (isHanging) child.kill('SIGKILL');
  }, 1000);
  child.send(task);
  const [exitCode, signal] = await once(child, 'exit');
  clearInterval(watch);
  if (report !== undefined) return report;
  const reason = isHanging ? `it takes more than ${hangMs} ms` : `ended with ${exitCode ?? signal}`;
  const input = await readFile(task.currentFile).catch(() => Buffer.alloc(0));
  const finding: FuzzFinding = {
    message: `The parser is gone, ${reason}: ${stderr}`,
    input: input.toString('base64'),
  };
  return { executions: 0, corpusSize: 0, functions: 0, characters: 0, findings: [finding] };
}
