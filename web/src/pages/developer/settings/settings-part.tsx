import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { settingsQuery } from '../../../api/queries.ts';
import { developerTexts } from '../../../texts/developer.ts';
import { CheckField } from '../../../ui/check-field.tsx';
import { inputClass } from '../../../ui/field.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { Section } from '../../../ui/page.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { SettingRow } from './setting-row.tsx';
import { groupSettings } from './setting-text.ts';

const labels = developerTexts.settings;

/** All settings in groups; each setting is saved separately. */
export function SettingsPart() {
  const query = useQuery(settingsQuery);
  const [filter, setFilter] = useState({ text: '', isChangedOnly: false });
  return (
    <QueryView query={query}>
      {({ file, settings, warnings }) => {
        const groups = groupSettings(settings, filter);
        const pending = settings.filter(({ restart_pending }) => restart_pending);
        return (
          <div className="flex flex-col gap-6">
            <div className="flex flex-wrap items-center gap-4">
              <input
                type="search"
                aria-label={labels.search}
                placeholder={labels.search}
                className={`${inputClass} !w-64 flex-1`}
                value={filter.text}
                onChange={(event) => setFilter({ ...filter, text: event.target.value })}
              />
              <CheckField
                label={labels.changedOnly}
                isChecked={filter.isChangedOnly}
                onChange={(isChangedOnly) => setFilter({ ...filter, isChangedOnly })}
              />
            </div>
            {pending.length > 0 && (
              <Notice tone="warn" title={labels.restartBanner}>
                {pending.map(({ key }) => key).join(', ')}
              </Notice>
            )}
            {warnings.map((warning) => (
              <Notice key={warning} tone="warn">
                {warning}
              </Notice>
            ))}
            {groups.map(([group, members]) => (
              <Section key={group} title={group}>
                <ul className="divide-y rounded-2xl border bg-raised">
                  {members.map((setting) => (
                    <SettingRow
                      key={`${setting.key} ${JSON.stringify(setting.value)} ${setting.is_set}`}
                      setting={setting}
                    />
                  ))}
                </ul>
              </Section>
            ))}
            {groups.length === 0 && (
              <p className="py-8 text-center text-sm text-muted">{labels.empty}</p>
            )}
            <p className="text-xs break-all text-muted">{labels.file({ path: file })}</p>
          </div>
        );
      }}
    </QueryView>
  );
}
