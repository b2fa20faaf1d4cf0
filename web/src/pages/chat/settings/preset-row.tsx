import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { toRecordName } from '../../../api/record-name.ts';
import { texts } from '../../../texts/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { CheckField } from '../../../ui/check-field.tsx';
import { inputClass } from '../../../ui/field.tsx';
import { showToast } from '../../../ui/toasts.ts';
import type { ConversationSettings } from './conversation-settings.ts';
import { presetsQuery, useDeletePreset, useSavePreset } from './preset-queries.ts';
import { toPresetBody, withPreset } from './preset-values.ts';

const labels = texts.settings;

/** Chooses, saves and deletes presets. */
export function PresetRow({
  settings,
  onChange,
}: {
  readonly settings: ConversationSettings;
  readonly onChange: (settings: ConversationSettings) => void;
}) {
  const { data: all = [] } = useQuery(presetsQuery);
  const [name, setName] = useState('');
  const [hasModel, setHasModel] = useState(false);
  const [revision, setRevision] = useState<number>();
  const save = useSavePreset();
  const remove = useDeletePreset();
  const chosen = all.find((each) => each.name === toRecordName(name));
  const choose = (next: string) => {
    setName(next);
    const preset = all.find((each) => each.name === next);
    setRevision(preset?.revision);
    if (preset === undefined) return;
    setHasModel(preset.model != null);
    onChange(withPreset(preset, settings.model));
  };
  const begin = () => {
    // If another tab has changed the preset since it was chosen, the server refuses this change.
    const expected = revision ?? chosen?.revision ?? 0;
    const body = { ...toPresetBody(settings, hasModel), revision: expected };
    save.mutate(
      { name: toRecordName(name), body },
      {
        onSuccess: (saved) => {
          setName(saved.name);
          setRevision(saved.revision);
          showToast(labels.presetSaved);
        },
        onError: () => setRevision(undefined),
      },
    );
  };
  return (
    <div className="flex flex-col gap-2">
      {all.length > 0 && (
        <select
          aria-label={labels.choosePreset}
          className={inputClass}
          value={chosen?.name ?? ''}
          onChange={(event) => choose(event.target.value)}
        >
          <option value="">{labels.choosePreset}</option>
          {all.map((preset) => (
            <option key={preset.name}>{preset.name}</option>
          ))}
        </select>
      )}
      <input
        aria-label={labels.presetName}
        placeholder={labels.presetName}
        className={inputClass}
        maxLength={80}
        value={name}
        onChange={(event) => {
          setName(event.target.value);
          setRevision(undefined);
        }}
      />
      <CheckField label={labels.presetModel} isChecked={hasModel} onChange={setHasModel} />
      <div className="flex flex-wrap gap-2">
        <Button onClick={begin} disabled={toRecordName(name) === '' || save.isPending}>
          {chosen === undefined ? labels.savePreset : labels.updatePreset}
        </Button>
        {chosen !== undefined && (
          <Button
            variant="danger"
            onClick={() =>
              remove.mutate(chosen.name, {
                onSuccess: () => {
                  setName('');
                  setRevision(undefined);
                },
              })
            }
          >
            {labels.deletePreset}
          </Button>
        )}
      </div>
    </div>
  );
}
