import type { EngineExit } from './launch.ts';

interface StartFacts extends Pick<EngineExit, 'exitCode' | 'signal'> {
  /** The engine's error output, oldest first. */
  readonly lines: readonly string[];
  /** Code such as `ENOENT`, if the program could not be started at all. */
  readonly errorCode?: string | undefined;
}

/** NTSTATUS codes, as Node reports them: https://learn.microsoft.com/openspecs/windows_protocols/ms-erref */
const windowsStatus = { illegalInstruction: 0xc000001d, dllNotFound: 0xc0000135 };

const missingLibrary =
  /error while loading shared libraries: ([\w.+-]+)|Error loading shared library ([\w.+-]+)/u;
const olderLibrary = /version [`']?((?:GLIBC|GLIBCXX)_[\d.]+)[`']? not found/u;
const relocation = /Error relocating /u;

/** Explains why this machine can't run the engine with any model; undefined if another cause is possible. */
export function startFailure({
  exitCode,
  signal,
  lines,
  errorCode,
}: StartFacts): string | undefined {
  if (signal === 'SIGILL' || exitCode === windowsStatus.illegalInstruction) {
    return 'this processor lacks instructions that the runtime uses; install another build (hearth runtime install) or set engine.llamaServer to one that was built for it';
  }
  if (exitCode === windowsStatus.dllNotFound) {
    return 'a library of the runtime is missing; install the Microsoft Visual C++ Redistributable (x64)';
  }
  // The program's dynamic loader does not exist, such as glibc's on a system with musl.
  if (errorCode === 'ENOENT' || lines.some((line) => relocation.test(line))) {
    return 'the runtime is missing, or was built for another C library; on a system with musl, such as Alpine, set engine.llamaServer to a build for it';
  }
  for (const line of lines) {
    const version = olderLibrary.exec(line)?.[1];
    if (version !== undefined) {
      return `the runtime needs ${version}, which this system does not have; set engine.llamaServer to a build for it`;
    }
    const library = missingLibrary.exec(line);
    if (library !== null) {
      return `the library ${library[1] ?? library[2]} of the runtime is missing; install it, or another runtime (hearth runtime install)`;
    }
  }
  return undefined;
}
