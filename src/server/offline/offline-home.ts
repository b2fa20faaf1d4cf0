import { loadSettings } from '../../settings/settings.ts';
import type { Settings } from '../../settings/settings-table.ts';

/** A home folder whose server may be stopped. */
export interface OfflineHome {
  /** Absolute. */
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** Shows how far the migration of an older database is. */
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
