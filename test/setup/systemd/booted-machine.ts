import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { projectFolder } from '../project-folder.ts';

interface Outcome {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A second machine that systemd has booted in a container; it shares this machine's network. */
export interface BootedMachine {
  /** Runs a command line of Bash as root. */
  run(commandLine: string): Promise<Outcome>;
  /** Like `run`, but throws if the command fails. */
  read(commandLine: string): Promise<string>;
  reboot(): Promise<void>;
  close(): Promise<void>;
}

const script = join(projectFolder, 'test/setup/systemd/boot-machine.sh');
const bootMs = 60_000;

/** @throws Error with the output of the kernel or systemd if a machine can't be booted here. */
export async function bootMachine(): Promise<BootedMachine> {
  if (process.getuid?.() !== 0) throw new Error('Booting systemd needs root.');
  const folder = await mkdtemp(join(tmpdir(), 'hearth-machine-'));
  const machine = spawn(
    'unshare',
    ['--mount', '--kill-child', script, folder, projectFolder, process.execPath],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let log = '';
  for (const stream of [machine.stdout, machine.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (log += text));
  }
  const ended = once(machine, 'close');

  /** Process id of the init process; undefined while the machine is off. */
  async function findInit(): Promise<string | undefined> {
    // The folder is only mounted in the script's namespace.
    const seen = `/proc/${machine.pid}/root${folder}/pid`;
    const parent = await readFile(seen, 'utf8').then(
      (text) => text.trim(),
      () => undefined,
    );
    if (parent === undefined) return undefined;
    const children = await readFile(`/proc/${parent}/task/${parent}/children`, 'utf8').catch(
      () => '',
    );
    return children.trim() || undefined;
  }

  async function run(commandLine: string): Promise<Outcome> {
    const init = await findInit();
    if (init === undefined) return { exitCode: 1, stdout: '', stderr: `It is off.\n${log}` };
    const enter = ['--target', init, '--mount', '--pid', '--uts', '--ipc', '--cgroup'];
    const path = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
    const shell = ['env', '-i', path, 'HOME=/root', 'bash', '-c', commandLine];
    const child = execFile('nsenter', [...enter, '--root', '--wd', ...shell]);
    let [stdout, stderr] = ['', ''];
    child.stdout?.on('data', (text: string) => (stdout += text));
    child.stderr?.on('data', (text: string) => (stderr += text));
    const [exitCode] = (await once(child, 'close')) as [number | null];
    return { exitCode: exitCode ?? 1, stdout, stderr };
  }

  async function waitForBoot(): Promise<void> {
    const deadline = performance.now() + bootMs;
    let state = '';
    while (!/^(?:running|degraded)$/m.test(state)) {
      if (machine.exitCode !== null || performance.now() > deadline) {
        throw new Error(`systemd has not booted (${state.trim()}): ${log}`);
      }
      await setTimeout(100);
      state = (await run('systemctl is-system-running')).stdout;
    }
  }

  async function close(): Promise<void> {
    await run('systemctl poweroff --force');
    const isStopped = await Promise.race([ended.then(() => true), setTimeout(20_000, false)]);
    if (!isStopped) machine.kill('SIGKILL');
    await ended;
    await rm(folder, { recursive: true, force: true });
  }

  try {
    await waitForBoot();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    run,
    async read(commandLine) {
      const { exitCode, stdout, stderr } = await run(commandLine);
      if (exitCode !== 0)
        throw new Error(`${commandLine}: exit code ${exitCode}\n${stdout}${stderr}`);
      return stdout;
    },
    async reboot() {
      const before = await findInit();
      await run('systemctl reboot');
      while ((await findInit()) === before) await setTimeout(50);
      await waitForBoot();
    },
    close,
  };
}
