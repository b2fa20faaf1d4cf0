import type { Settings } from '../../settings/settings-table.ts';
import type { CommandContext } from '../command.ts';

/** Result of a check. */
export interface Finding {
  /** `problem`: Hearth does not work correctly. `warning`: in some cases it may not. */
  readonly level: 'ok' | 'warning' | 'problem';
  readonly message: string;
  /** Advice for the user; present unless the level is `ok`. */
  readonly remedy?: string;
}

export interface DoctorContext extends CommandContext {
  /** null if `config.json` or a variable is invalid; the checks then use the defaults. */
  readonly settings: Settings | null;
  /** Folder of the downloaded models. */
  readonly modelsFolder: string;
}

export interface Check {
  /** Title of its findings, such as `Disk`. */
  readonly name: string;
  /** If a check throws, that counts as a problem. */
  run(context: DoctorContext): Promise<readonly Finding[]>;
}

export const ok = (message: string): Finding => ({ level: 'ok', message });
export const warning = (message: string, remedy: string): Finding => ({
  level: 'warning',
  message,
  remedy,
});
export const problem = (message: string, remedy: string): Finding => ({
  level: 'problem',
  message,
  remedy,
});
