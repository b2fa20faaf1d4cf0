import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { V1Model } from '../../../../../src/api/v1/models/model-schema.ts';
import { modelsQuery, settingsQuery, statusQuery } from '../../../api/queries.ts';
import { usePermissions } from '../../../api/permissions.ts';
import { modelsTexts } from '../../../texts/models.ts';
import { inputClass } from '../../../ui/field.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { ModelsFrame } from '../models-frame.tsx';
import { isFirstRun } from '../../../downloads/is-first-run.ts';
import { Recommended } from '../../../downloads/recommended.tsx';
import { useLoadProgress } from '../../../api/load-progress.ts';
import { ModelDialog } from './model-dialog.tsx';
import { ModelRow } from './model-row.tsx';

const manyModels = 8;

/** The models on disk and their instances. */
export function LibraryPage() {
  const models = useQuery(modelsQuery);
  const { data: status } = useQuery(statusQuery);
  const progress = useLoadProgress('instance_id');
  const aliases = useAliases();
  const isAllowed = usePermissions();
  const [filter, setFilter] = useState('');
  const [opened, setOpened] = useState<string>();
  return (
    <ModelsFrame>
      <QueryView query={models}>
        {(data) => {
          const shown = data.models.filter((model) => matches(model, filter));
          return (
            <>
              {!isAllowed('models:write') && isAllowed('models:read') && (
                <Notice>{modelsTexts.readOnly}</Notice>
              )}
              {data.models.length > manyModels && (
                <input
                  type="search"
                  aria-label={modelsTexts.filterLibrary}
                  placeholder={modelsTexts.filterLibrary}
                  className={inputClass}
                  value={filter}
                  onChange={(event) => setFilter(event.target.value)}
                />
              )}
              <ul aria-label={modelsTexts.tabs.library} className="flex flex-col gap-3">
                {shown.map((model) => (
                  <ModelRow
                    key={model.key}
                    model={model}
                    aliases={aliases[model.key] ?? []}
                    instances={
                      status?.instances.filter(
                        (each) => (each.profile ?? each.model) === model.key,
                      ) ?? []
                    }
                    progress={progress}
                    onOpen={() => setOpened(model.key)}
                  />
                ))}
              </ul>
              {shown.length === 0 && (
                <p className="py-8 text-center text-sm text-muted">
                  {data.models.length === 0 ? modelsTexts.empty : modelsTexts.noMatch}
                </p>
              )}
              {isFirstRun(data.models) && <Recommended />}
              <ModelDialog
                key={opened}
                model={data.models.find(({ key }) => key === opened)}
                onClose={() => setOpened(undefined)}
              />
            </>
          );
        }}
      </QueryView>
    </ModelsFrame>
  );
}

function matches({ key, display_name, type }: V1Model, filter: string): boolean {
  const words = filter.toLowerCase().split(/\s+/);
  const text = `${key} ${display_name} ${type}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

/** Aliases by the key of their model; empty for users who are not administrators. */
function useAliases(): Readonly<Record<string, readonly string[]>> {
  const isAdmin = usePermissions()('admin');
  const { data } = useQuery({ ...settingsQuery, enabled: isAdmin });
  const value = data?.settings.find(({ key }) => key === 'models.aliases')?.value;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  const byModel: Record<string, string[]> = {};
  for (const [alias, models] of Object.entries(value)) {
    for (const entry of [models].flat()) {
      const model = typeof entry === 'object' ? entry?.['model'] : entry;
      if (typeof model === 'string') (byModel[model] ??= []).push(alias);
    }
  }
  return byModel;
}
