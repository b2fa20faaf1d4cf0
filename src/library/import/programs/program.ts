import type { FoundSources } from '../import-source.ts';

/** Programs whose models can be imported. */
export const importPrograms = ['ollama', 'lmstudio', 'jan', 'huggingface', 'llamacpp'] as const;

export type ImportProgram = (typeof importPrograms)[number];

/** Environment that determines where programs keep their models. */
export interface ProgramPlace {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly homeFolder: string;
  readonly platform: NodeJS.Platform;
}

/** How one program keeps models. */
export interface ProgramLayout {
  /** The name of the program for people. */
  readonly label: string;
  /** Folders that may hold models, as the program chooses them; they need not exist. */
  folders(place: ProgramPlace): Promise<readonly string[]>;
  /** Finds the models of one such folder. @throws the signal's reason when aborted. */
  find(folder: string, signal: AbortSignal): Promise<FoundSources>;
}

/** The base directory of the XDG specification, which Windows and macOS do not use by themselves. */
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
