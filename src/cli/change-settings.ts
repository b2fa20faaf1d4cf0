import { assertStartable } from '../settings/assert-startable.ts';
import { describeSettings } from '../settings/describe-settings.ts';
import {
  createSettingsEditor,
  SettingChangeError,
  type SettingsEditor,
} from '../settings/settings-editor.ts';
import { settingKeys } from '../settings/settings-table.ts';
import { changeSettings as changeSettingsRoute } from '../api/v1/server/setting-schema.ts';
import { readOwnerToken } from '../platform/home/owner-token.ts';
import { findServer } from './background/start-in-background.ts';
import { ApiError } from './client/client-error.ts';
import { createClient } from './client/client.ts';
import type { CommandContext } from './command.ts';

/** Opens the settings of the home folder; needs no running server. */
export function openSettings({ home, environment }: CommandContext): SettingsEditor {
  return createSettingsEditor({ home, environment, flags: {} });
}

interface Change {
  readonly keys: readonly string[];
  /** True if a server runs. Only then may a restart be required. */
  readonly isRunning: boolean;
  readonly restartRequired: readonly string[];
  readonly overridden: readonly { readonly key: string; readonly by: string }[];
  readonly warnings: readonly string[];
}

/**
 * Changes `config.json` through the running server of the home, which applies the change at once, or directly if no
 * server of this user runs.
 *
 * @throws SettingsError; ApiError.
 */
export async function changeSettings(
  context: CommandContext,
  changes: Readonly<Record<string, string | null>>,
): Promise<Change> {
  const { home, signal } = context;
  const keys = Object.keys(changes);
  const server = await findServer(home);
  const token = server === undefined ? undefined : await readOwnerToken(home);
  if (server !== undefined && token !== undefined) {
    const client = createClient({
      baseUrl: server.url,
      token,
      certificate: server.certificate_sha256,
    });
    const answer = await client
      .call(changeSettingsRoute, { body: { ...changes } }, signal)
      .catch((error: unknown) => {
        if (!(error instanceof ApiError) || error.code !== 'invalid_value') throw error;
        throw new SettingChangeError(error.param ?? '', error.message, { cause: error });
      });
    const { restart_required: restartRequired, overridden, warnings } = answer;
    return { keys, isRunning: true, restartRequired, overridden, warnings };
  }
  const resolved = await openSettings(context).change(changes, ({ settings }) =>
    // The next start may have `--allow-unauthenticated`, so the check assumes it.
    assertStartable(settings, { isUnauthenticatedAllowed: true }),
  );
  const described = describeSettings(
    resolved,
    settingKeys.filter((key) => keys.includes(key)),
  );
  return {
    keys,
    isRunning: server !== undefined,
    restartRequired: described.filter(({ isLive }) => !isLive).map(({ key }) => key),
    overridden: described.flatMap(({ key, source }) =>
      source.kind === 'environment' ? [{ key, by: source.name }] : [],
    ),
    warnings: resolved.warnings,
  };
}

/** Prints the effect of a change, and when it applies. */
export function reportChange(context: CommandContext, change: Change, isJson: boolean): void {
  const { output, messages } = context.terminal;
  const { keys, isRunning, overridden, warnings } = change;
  const restartRequired = isRunning ? change.restartRequired : [];
  if (isJson) {
    output.json({ changed: keys, restart_required: restartRequired, overridden, warnings });
    return;
  }
  for (const warning of warnings) messages.line(`warning: ${warning}`);
  for (const key of keys) output.line(`Changed ${key}`);
  for (const { key, by } of overridden) {
    messages.line(
      `${by} overrides ${key}: the value in config.json has no effect while it is set.`,
    );
  }
  if (restartRequired.length > 0) {
    messages.line('Restart the server for it to take effect: `hearth server stop`, then `start`.');
  }
}
