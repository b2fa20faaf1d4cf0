import { spawn } from 'node:child_process';
import { win32 } from 'node:path';
import { errorCode } from '../../kernel/error-code.ts';

type StopSignal = 'SIGTERM' | 'SIGKILL';

/** A platform's way to end a process with its descendants. */
export type KillStep =
  | { readonly kind: 'signal'; readonly target: number; readonly signal: StopSignal }
  | {
      readonly kind: 'program';
      readonly command: string;
      readonly arguments: readonly string[];
    };

/**
 * POSIX: signals the process group of a process that was started detached. Windows has no process groups and no
 * SIGTERM: `taskkill /T` ends the process with its descendants, which Node's `kill` would leave running.
 */
export function killStep(
  platform: NodeJS.Platform,
  pid: number,
  signal: StopSignal,
  systemRoot = 'C:\\Windows',
): KillStep {
  if (platform !== 'win32') return { kind: 'signal', target: -pid, signal };
  // A full path, so that no program of this name in the working folder runs.
  const command = win32.join(systemRoot, 'System32', 'taskkill.exe');
  return { kind: 'program', command, arguments: ['/T', '/F', '/PID', String(pid)] };
}

/** Ends a process that was started detached, with its descendants. Does nothing if the process no longer exists. */
export function killGroup(pid: number, signal: StopSignal): void {
  const step = killStep(process.platform, pid, signal, process.env['SystemRoot']);
  if (step.kind === 'program') {
    spawn(step.command, step.arguments, { stdio: 'ignore', windowsHide: true, detached: true })
      .on('error', () => killProcess(pid, signal))
      .unref();
    return;
  }
  killProcess(step.target, step.signal);
}

function killProcess(target: number, signal: StopSignal): void {
  try {
    process.kill(target, signal);
  } catch (error) {
    if (!isGone(errorCode(error))) throw error;
  }
}

/** macOS reports `EPERM` for a group that was not reaped yet; other systems do if the id was reused. */
function isGone(code: string | undefined): boolean {
  return code === 'ESRCH' || code === 'EPERM';
}
