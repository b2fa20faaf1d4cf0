import { commandTable } from './command-table.ts';
import { runProcess } from './run-process.ts';

/**
 * Runs the command line of this process with all commands.
 *
 * @param keepCompiledCode Stores the code that V8 has compiled so far, for the next process.
 */
export function run(keepCompiledCode?: () => void): Promise<void> {
  return runProcess(commandTable, keepCompiledCode);
}
