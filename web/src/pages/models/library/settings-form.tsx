import { useQuery } from '@tanstack/react-query';
import { SlidersHorizontal } from 'lucide-react';
import { useState } from 'react';
import type { V1Model } from '../../../../../src/api/v1/models/model-schema.ts';
import type {
  LoadSettings,
  ModelSettingsResult,
  SettingsFields,
} from '../../../../../src/api/v1/models/model-settings-schema.ts';
import { call } from '../../../api/client.ts';
import { modelsTexts } from '../../../texts/models.ts';
import { texts } from '../../../texts/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { CheckField } from '../../../ui/check-field.tsx';
import { Field, inputClass } from '../../../ui/field.tsx';
import { FoldedCard } from '../../../ui/folded-card.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { NumberSetting } from '../../chat/settings/number-setting.tsx';
import { useSaveSettings } from './library-mutations.ts';

const labels = modelsTexts.settings;

interface FormProps {
  readonly model: V1Model;
  /** Load settings, which are saved together with the other settings. */
  readonly load: LoadSettings;
}

/** Edits the stored settings of a model or profile. */
export function ModelSettingsCard(props: FormProps) {
  const params = { model: props.model.key };
  const record = useQuery({
    queryKey: ['models', 'settings', params.model],
    queryFn: ({ signal }) =>
      call('get', '/api/v1/model-settings/{model...}', { params }, { signal }),
  });
  return (
    <FoldedCard icon={<SlidersHorizontal size={16} aria-hidden />} title={labels.title}>
      <QueryView query={record}>
        {(data) => <SettingsForm key={JSON.stringify(data)} record={data} {...props} />}
      </QueryView>
    </FoldedCard>
  );
}

const numbers = [
  ['temperature', 'temperature', 0, 2, 0.05],
  ['top_p', 'topP', 0, 1, 0.05],
  ['top_k', 'topK', 0, 1_000_000, 1],
  ['min_p', 'minP', 0, 1, 0.01],
  ['repeat_penalty', 'repeatPenalty', 0.01, 100, 0.05],
  ['max_output_tokens', 'maxTokens', 1, 1_000_000, 1],
] as const;

function SettingsForm({
  model,
  load,
  record,
}: FormProps & { readonly record: ModelSettingsResult }) {
  const { model: _model, outdated_instances: outdated = [], ...stored } = record;
  const [values, setValues] = useState<SettingsFields>(stored);
  const [profile, setProfile] = useState('');
  const save = useSaveSettings();
  const set = (changes: SettingsFields) => setValues({ ...values, ...changes });
  const merged = { ...values, load: { ...values.load, ...load } };
  const reasoning = model.capabilities?.reasoning;
  const area = (
    label: string,
    rows: number,
    value: string | null | undefined,
    onChange: (value: string | undefined) => void,
    hint?: string,
  ) => (
    <Field label={label} hint={hint}>
      {(attributes) => (
        <textarea
          {...attributes}
          rows={rows}
          className={inputClass}
          value={value ?? ''}
          onChange={(event) => onChange(event.target.value === '' ? undefined : event.target.value)}
        />
      )}
    </Field>
  );
  return (
    <div className="flex flex-col gap-4">
      <p className="text-xs text-muted">{labels.hint}</p>
      {area(texts.settings.systemPrompt, 3, values.system_prompt, (system_prompt) =>
        set({ system_prompt }),
      )}
      <div className="grid grid-cols-2 gap-3">
        {numbers.map(([name, label, min, max, step]) => (
          <NumberSetting
            key={name}
            label={texts.settings[label]}
            min={min}
            max={max}
            step={step}
            value={values[name] ?? undefined}
            onChange={(value) => set({ [name]: value })}
          />
        ))}
      </div>
      {reasoning !== undefined && (
        <Field label={texts.settings.reasoning}>
          {(attributes) => (
            <select
              {...attributes}
              className={inputClass}
              value={values.reasoning ?? ''}
              onChange={({ target }) => {
                const chosen = reasoning.allowed_options.find((level) => level === target.value);
                set({ reasoning: chosen });
              }}
            >
              <option value="">{texts.settings.default}</option>
              {reasoning.allowed_options.map((level) => (
                <option key={level}>{level}</option>
              ))}
            </select>
          )}
        </Field>
      )}
      {model.format === 'gguf' &&
        area(
          modelsTexts.dialog.template,
          2,
          values.load?.chat_template,
          (chat_template) => set({ load: { ...values.load, chat_template } }),
          labels.templateHint,
        )}
      <CheckField
        label={labels.pinned}
        isChecked={values.pinned === true}
        onChange={(pinned) => set({ pinned: pinned || undefined })}
      />
      {outdated.length > 0 && (
        <p role="status" className="text-xs text-muted">
          {labels.outdated({ names: outdated.join(', ') })}
        </p>
      )}
      <div className="flex flex-wrap items-center gap-2">
        <Button
          variant="primary"
          disabled={save.isPending}
          onClick={() => save.mutate({ model: model.key, body: merged })}
        >
          {labels.save}
        </Button>
        <input
          aria-label={labels.profileName}
          placeholder={labels.profileName}
          className={`${inputClass} !w-36 grow sm:ms-auto sm:!w-44 sm:grow-0`}
          value={profile}
          onChange={(event) => setProfile(event.target.value)}
        />
        <Button
          disabled={save.isPending || profile.trim() === ''}
          onClick={() => {
            const body = { ...merged, base: model.base ?? model.key };
            save.mutate({ model: profile.trim(), body }, { onSuccess: () => setProfile('') });
          }}
        >
          {labels.saveProfile}
        </Button>
      </div>
    </div>
  );
}
