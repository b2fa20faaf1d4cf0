declare module 'cross-spawn' {
  import type { ChildProcess, SpawnOptions } from 'node:child_process';

  /** Like `spawn`; on Windows, finds commands by PATHEXT and runs `.cmd` files with quoted arguments. */
  const crossSpawn: {
    (command: string, commandArguments: readonly string[], options: SpawnOptions): ChildProcess;
    /** Returns the command that it would start. */
    readonly _parse: (
      command: string,
      commandArguments: readonly string[],
      options: SpawnOptions,
    ) => { readonly command: string; readonly args: readonly string[] };
  };
  export default crossSpawn;
}
