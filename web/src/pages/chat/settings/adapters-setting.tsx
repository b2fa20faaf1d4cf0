import type { AdapterRecord } from '../../../../../src/api/v1/models/adapter-schema.ts';
import { texts } from '../../../texts/texts.ts';
import { CheckField } from '../../../ui/check-field.tsx';
import type { ConversationSettings } from './conversation-settings.ts';
import { NumberSetting } from './number-setting.tsx';

/** Chooses adapters, each with a scale. */
export function AdaptersSetting({
  model,
  adapters,
  settings,
  onChange,
}: {
  readonly model: string;
  /** Adapters that fit the model. */
  readonly adapters: readonly AdapterRecord[];
  readonly settings: ConversationSettings;
  readonly onChange: (settings: ConversationSettings) => void;
}) {
  const scales = settings.adapters?.model === model ? settings.adapters.scales : {};
  const set = (key: string, scale: number | undefined) => {
    const { [key]: _, ...others } = scales;
    const next = scale === undefined ? others : { ...others, [key]: scale };
    const isEmpty = Object.keys(next).length === 0;
    onChange({ ...settings, adapters: isEmpty ? undefined : { model, scales: next } });
  };
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1.5 text-sm font-semibold">{texts.settings.adapters}</legend>
      {adapters.map(({ key, display_name: name }) => (
        <div key={key} className="flex flex-col gap-1.5">
          <CheckField
            label={name}
            hint={key}
            isChecked={scales[key] !== undefined}
            onChange={(isChecked) => set(key, isChecked ? 1 : undefined)}
          />
          {scales[key] !== undefined && (
            <NumberSetting
              label={texts.settings.adapterScale({ name })}
              min={-10}
              max={10}
              step={0.05}
              value={scales[key]}
              onChange={(scale) => set(key, scale ?? 1)}
            />
          )}
        </div>
      ))}
    </fieldset>
  );
}
