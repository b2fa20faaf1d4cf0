import type { FoundSources } from '../import-source.ts';

/** Programs whose models can be imported. */
export const importPrograms = ['ollama', 'lmstudio', 'jan', 'huggingface', 'llamacpp'] as const;

export type ImportProgram = (typeof importPrograms)[number];

/** User's environment, which determines where programs keep their models. */
export interface ProgramPlace {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly homeFolder: string;
  readonly platform: NodeJS.Platform;
}

/** How one program keeps models. */
export interface ProgramLayout {
  /** Display name of the program. */
  readonly label: string;
  /** Folders that may contain the program's models; they need not exist. */
  folders(place: ProgramPlace): Promise<readonly string[]>;
  /** Finds the models of one of these folders. @throws The signal's reason when aborted. */
  find(folder: string, signal: AbortSignal): Promise<FoundSources>;
}

/** A base directory of the XDG specification. On Windows and macOS it is only used if the variable is set. */
export function xdgFolder(
  { environment, homeFolder }: ProgramPlace,
  variable: 'XDG_CACHE_HOME' | 'XDG_DATA_HOME',
): string {
  const byDefault = variable === 'XDG_CACHE_HOME' ? '.cache' : '.local/share';
  return environment[variable] || `${homeFolder}/${byDefault}`;
}

export function joinFound(found: readonly FoundSources[]): FoundSources {
  return {
    sources: found.flatMap(({ sources }) => sources),
    leftOut: found.flatMap(({ leftOut }) => leftOut),
  };
}
