import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import type { CommandContext } from '../command.ts';
import { CommandError } from '../failure.ts';
import { formatCommand } from './show-steps.ts';
import type { ServiceDefinition, ServiceStep } from './service-definition.ts';
import { runProgram } from './service-machine.ts';
import { renameWithRetry } from '../../platform/files/rename-with-retry.ts';

/**
 * Writes the files of a service, and starts it, or restarts it if a file changed.
 *
 * @returns True if a file changed.
 * @throws CommandError with the error of a server that does not start, or the output of a failed command; the errors of
 * the file system.
 */
export async function installService(
  definition: ServiceDefinition,
  context: CommandContext,
): Promise<boolean> {
  const { files, register, start } = definition;
  const isChanged = await applySteps(files, context);
  await applySteps(register, context);
  if (isChanged) await restartService(definition, context);
  else await startService(definition, start, context);
  return isChanged;
}

/** @throws The errors of `installService`. */
export function restartService(
  definition: ServiceDefinition,
  context: CommandContext,
): Promise<void> {
  return startService(definition, definition.restart, context);
}

async function startService(
  definition: ServiceDefinition,
  steps: readonly ServiceStep[],
  context: CommandContext,
): Promise<void> {
  try {
    await applySteps(steps, context);
  } catch (error) {
    const reason = error instanceof CommandError ? await readError(definition, context) : undefined;
    if (reason === undefined) throw error;
    throw new CommandError(
      `${definition.name} is installed, but did not start: ${reason}\nIts log: hearth service logs`,
    );
  }
}

/** Finds the last error of the server in its log. */
async function readError(
  { logsCommand }: ServiceDefinition,
  { environment }: CommandContext,
): Promise<string | undefined> {
  const { stdout } = await runProgram(logsCommand(20, false), environment);
  const prefix = 'error: ';
  const line = stdout.split('\n').findLast((each) => each.startsWith(prefix));
  return line?.slice(prefix.length);
}

/**
 * Applies steps in their order.
 *
 * @returns True if a file was written or removed.
 * @throws The errors of `installService`.
 */
export async function applySteps(
  steps: readonly ServiceStep[],
  context: CommandContext,
): Promise<boolean> {
  let isChanged = false;
  for (const step of steps) {
    context.signal.throwIfAborted();
    if (await applyStep(step, context)) isChanged = true;
  }
  return isChanged;
}

async function applyStep(step: ServiceStep, context: CommandContext): Promise<boolean> {
  switch (step.type) {
    case 'folder':
      await mkdir(step.path, { recursive: true, mode: step.isPrivate === true ? 0o700 : 0o755 });
      return false;
    case 'file':
      return writeIfChanged(step.path, encode(step));
    case 'remove':
      await rm(step.path, { force: true });
      return true;
    case 'run': {
      const { exitCode, stdout, stderr } = await runProgram(step.command, context.environment);
      if (exitCode === 0 || step.mayFail === true) return false;
      const output = (stderr || stdout).trim();
      throw new CommandError(
        `\`${formatCommand(step.command)}\` failed with exit code ${exitCode}.\n${output}`.trimEnd(),
      );
    }
  }
}

function encode({ content, encoding }: Extract<ServiceStep, { type: 'file' }>): Buffer {
  if (encoding === undefined) return Buffer.from(content);
  const byteOrderMark = '\uFEFF';
  return Buffer.from(byteOrderMark + content, encoding);
}

/** Replaces the file atomically, so that no reader sees half of it. */
async function writeIfChanged(path: string, content: Buffer): Promise<boolean> {
  const previous = await readFile(path).catch(() => undefined);
  if (previous?.equals(content) === true) return false;
  const next = `${path}.tmp`;
  try {
    await writeFile(next, content);
    await chmod(next, 0o644);
    await renameWithRetry(next, path);
  } catch (error) {
    await rm(next, { force: true });
    throw error;
  }
  return true;
}
