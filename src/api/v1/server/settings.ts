import { describeSettings, type SettingDescription } from '../../../settings/describe-settings.ts';
import { SettingChangeError } from '../../../settings/settings-editor.ts';
import { SettingsError } from '../../../settings/settings-error.ts';
import type { ResolvedSettings } from '../../../settings/settings.ts';
import { settingKeys, type SettingKey } from '../../../settings/settings-table.ts';
import { HearthError } from '../../../kernel/errors/errors.ts';
import { changeSettings, listSettings, type SettingRecord } from './setting-schema.ts';
import { omitUndefined } from '../../../kernel/omit-undefined.ts';
import { mount, type App } from '../../kit/mount.ts';
import type { ApiServices } from '../../services.ts';

export function mountSettings(app: App, { settings: service, logger }: ApiServices): void {
  const toRecords = (resolved: ResolvedSettings, keys?: readonly SettingKey[]) => {
    const pending = service.live.pending(resolved.settings);
    return describeSettings(resolved, keys).map((each) => toRecord(each, pending.has(each.key)));
  };

  mount(app, listSettings, async () => {
    const resolved = await service.editor.read().catch(toHearthError);
    const { warnings } = resolved;
    return { file: service.editor.file, settings: toRecords(resolved), warnings: [...warnings] };
  });

  mount(app, changeSettings, async ({ body }) => {
    const resolved = await service.editor
      .change(body, ({ settings }) => service.check(settings))
      .catch(toHearthError);
    service.live.apply(resolved.settings);
    const changed = Object.keys(body).flatMap(
      (name) => settingKeys.find((key) => key === name) ?? [],
    );
    const settings = toRecords(resolved, changed);
    const keysOf = (isIncluded: (record: SettingRecord) => boolean) =>
      settings.filter(isIncluded).map(({ key }) => key);
    const isOverridden = ({ source }: SettingRecord) =>
      source === 'flag' || source === 'environment';
    const result = {
      settings,
      applied: keysOf((each) => !isOverridden(each) && !each.restart_pending),
      restart_required: keysOf((each) => each.restart_pending),
      overridden: settings.filter(isOverridden).map(({ key, source_name: by }) => ({ key, by })),
      warnings: [...resolved.warnings],
    };
    // Logs only the keys, since a value can be secret.
    logger.info({ keys: settings.map(({ key }) => key) }, 'settings changed');
    return result;
  });
}

/** A forbidden change is an invalid value; if the file was already invalid, it is a conflict. */
function toHearthError(error: unknown): never {
  if (error instanceof SettingChangeError) {
    throw new HearthError('invalid_value', error.message, { param: error.key, cause: error });
  }
  if (error instanceof SettingsError) {
    throw new HearthError('conflict', error.message, { cause: error });
  }
  throw error;
}

function toRecord(setting: SettingDescription, isPending: boolean): SettingRecord {
  const { key, description, type, isSecret, isLive, isSet, source } = setting;
  return {
    key,
    description,
    type: type.name,
    ...omitUndefined({
      minimum: type.minimum,
      maximum: type.maximum,
      choices: type.choices === undefined ? undefined : [...type.choices],
      is_set: isSecret ? isSet : undefined,
      computed_default: setting.computedDefault,
    }),
    value: toValue(setting.value),
    default: toValue(setting.defaultValue),
    source: source.kind,
    source_name: source.name,
    secret: isSecret,
    live: isLive,
    restart_pending: isPending,
  };
}

function toValue(value: unknown): SettingRecord['value'] {
  return (value ?? null) as SettingRecord['value'];
}
