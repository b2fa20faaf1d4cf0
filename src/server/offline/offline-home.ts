import { loadSettings } from '../../settings/settings.ts';
import type { Settings } from '../../settings/settings-table.ts';

/** A home folder for commands that work without its server. */
export interface OfflineHome {
  /** Absolute. */
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** Shows the progress of an older database's migration. */
  readonly migration?: {
    /** @param fraction 0 to 1 */
    show(fraction: number): void;
    stop(): void;
  };
}

/** @throws SettingsError */
export function readSettings({
  home,
  environment,
}: Pick<OfflineHome, 'home' | 'environment'>): Promise<Settings> {
  return loadSettings({ home, environment, flags: {} });
}
