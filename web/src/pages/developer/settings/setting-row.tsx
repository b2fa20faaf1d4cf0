import { useMutation, useQueryClient } from '@tanstack/react-query';
import { RotateCcw } from 'lucide-react';
import { useId, useState } from 'react';
import type { SettingRecord } from '../../../../../src/api/v1/server/setting-schema.ts';
import { call } from '../../../api/client.ts';
import { developerTexts } from '../../../texts/developer.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { IconButton } from '../../../ui/icon-button.tsx';
import { TextWithCode } from '../../../ui/text-with-code.tsx';
import { messageOf, showToast } from '../../../ui/toasts.ts';
import { SettingControl } from './setting-control.tsx';
import { fromText, shownSource, toText, type SettingValue } from './setting-text.ts';

const labels = developerTexts.settings;

/** A setting with its value, the source of the value, and a field to change it. */
export function SettingRow({ setting }: { readonly setting: SettingRecord }) {
  const { key, description, live, restart_pending, source, source_name } = setting;
  const id = useId();
  const [text, setText] = useState(toText(setting.value));
  const { mutate, error, isPending } = useSaveSetting(key);
  const parsed = fromText(setting, text);
  const isOverridden = source === 'flag' || source === 'environment';
  const isChanged = text !== toText(setting.value);
  const fault = 'error' in parsed ? parsed.error : error === null ? undefined : messageOf(error);
  return (
    <li className="grid gap-x-6 gap-y-2 px-4 py-3 lg:grid-cols-[1fr_minmax(16rem,24rem)]">
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-2">
          <label htmlFor={id} className="font-mono text-[13px] font-medium break-all">
            {key}
          </label>
          {!live && <Badge>{labels.restart}</Badge>}
          {restart_pending && <Badge tone="warn">{labels.restartPending}</Badge>}
        </p>
        <p className="mt-0.5 text-sm text-muted">
          <TextWithCode text={description} />
        </p>
        {isOverridden && (
          <p className="text-xs text-warn">{labels.overridden({ by: shownSource(source_name) })}</p>
        )}
      </div>
      <form
        className="flex min-w-0 flex-col gap-1"
        onSubmit={(event) => {
          event.preventDefault();
          if ('value' in parsed && isChanged) mutate(parsed.value);
        }}
      >
        <div className="flex items-start gap-1.5">
          <SettingControl
            setting={setting}
            attributes={{
              id,
              'aria-invalid': fault !== undefined,
              'aria-describedby': `${id}-note`,
            }}
            text={text}
            onChange={setText}
          />
          {isChanged && (
            <Button
              type="submit"
              variant="primary"
              aria-label={labels.saveOf({ key })}
              disabled={'error' in parsed || isPending}
            >
              {labels.save}
            </Button>
          )}
          {source === 'file' && !isChanged && (
            <IconButton
              icon={RotateCcw}
              size={15}
              label={labels.resetOf({ key })}
              onClick={() => mutate(null)}
            />
          )}
        </div>
        <p
          id={`${id}-note`}
          className={`text-xs break-words ${fault === undefined ? 'text-muted' : 'text-danger'}`}
        >
          {fault ?? noteOf(setting)}
        </p>
      </form>
    </li>
  );
}

function useSaveSetting(key: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (value: SettingValue | null) =>
      call('patch', '/api/v1/settings', { body: { [key]: value } }),
    onSuccess: ({ restart_required, overridden }) => {
      const by = overridden.find((each) => each.key === key)?.by;
      showToast(
        restart_required.includes(key) ? labels.savedForRestart({ key }) : labels.saved({ key }),
        by === undefined ? undefined : labels.overridden({ by: shownSource(by) }),
      );
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['settings'] }),
    meta: { showsError: true },
  });
}

function noteOf(setting: SettingRecord): string {
  const { secret, is_set, type, default: value, computed_default } = setting;
  if (secret) return is_set === true ? labels.secretSet : labels.secretUnset;
  const hint = { list: labels.listHint, object: labels.objectHint }[type as string];
  const shown = shownDefault(type, value);
  const standard = labels.default({
    value: computed_default ?? (shown === '' ? labels.none : shown),
  });
  return hint === undefined ? standard : `${hint} ${standard}`;
}

function shownDefault(type: SettingRecord['type'], value: SettingRecord['default']): string {
  if (typeof value === 'boolean') return value ? labels.on : labels.off;
  if (type === 'object' && value !== null) return JSON.stringify(value);
  return toText(value).replaceAll('\n', ', ');
}
