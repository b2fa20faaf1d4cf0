import { useState } from 'react';
import type { LoadConfig } from '../../../../../src/api/v1/models/load-config-schema.ts';
import { modelsTexts } from '../../../texts/models.ts';
import { CheckField } from '../../../ui/check-field.tsx';
import { Field, inputClass } from '../../../ui/field.tsx';
import { CacheTypeSetting, GpuSettings } from './gpu-settings.tsx';
import { contextSteps, nearestStep } from './context-steps.ts';
import type { LoadForm } from './load-form.ts';
import { formatNumber } from '../../../ui/numbers.ts';

const labels = modelsTexts.dialog;

interface SettingsProps {
  readonly form: LoadForm;
  readonly onChange: (form: LoadForm) => void;
  /** True if the user may not load the model: then only settings that affect the estimate are shown. */
  readonly isReadOnly: boolean;
  readonly longest: number;
  /** Values that the server chooses for empty fields. */
  readonly defaults: LoadConfig | undefined;
  readonly hasGpu: boolean;
  readonly hasExperts: boolean;
}

/** The settings of a load. */
export function LoadSettings(props: SettingsProps) {
  const { form, onChange, isReadOnly, defaults, hasGpu, hasExperts } = props;
  const set = (changes: Partial<LoadForm>) => onChange({ ...form, ...changes });
  const number = (label: string, name: 'parallel' | 'batch' | 'ttlMinutes', hint?: string) => (
    <Field label={label} hint={hint}>
      {(attributes) => (
        <input
          {...attributes}
          type="number"
          min={1}
          step={1}
          className={inputClass}
          placeholder={placeholderOf(name, defaults)}
          value={form[name]}
          onChange={(event) => set({ [name]: event.target.value })}
        />
      )}
    </Field>
  );
  return (
    <div className="flex flex-col gap-4">
      <ContextSlider {...props} />
      <div className="grid gap-4 sm:grid-cols-2">
        {number(labels.parallel, 'parallel', labels.parallelHint)}
        {number(labels.batch, 'batch')}
        {!isReadOnly && number(labels.ttl, 'ttlMinutes', labels.ttlHint)}
        <CacheTypeSetting form={form} onChange={set} defaults={defaults} />
      </div>
      {hasGpu && (
        <GpuSettings form={form} onChange={set} defaults={defaults} hasExperts={hasExperts} />
      )}
      {!isReadOnly && (
        <div className="flex flex-col gap-2">
          <CheckField
            label={labels.flashAttention}
            isChecked={form.flashAttention ?? defaults?.flash_attention ?? false}
            onChange={(flashAttention) => set({ flashAttention })}
          />
          <CheckField
            label={labels.force}
            isChecked={form.isForced}
            onChange={(isForced) => set({ isForced })}
          />
        </div>
      )}
    </div>
  );
}

function placeholderOf(name: string, defaults: LoadConfig | undefined): string {
  if (name === 'ttlMinutes') return '';
  const value = {
    parallel: defaults?.parallel,
    batch: defaults?.eval_batch_size,
  }[name];
  return value === undefined ? labels.asDefault : String(value);
}

function ContextSlider({ form, onChange, longest, defaults }: SettingsProps) {
  const steps = contextSteps(longest);
  // The default from the first estimate, since later estimates contain the chosen context.
  const [initial, setInitial] = useState<number>();
  if (initial === undefined && defaults !== undefined) setInitial(defaults.context_length);
  const context = form.contextLength ?? initial ?? longest;
  return (
    <Field label={labels.context} hint={labels.contextHint}>
      {(attributes) => (
        <div className="flex items-center gap-4">
          <input
            {...attributes}
            type="range"
            min={0}
            max={steps.length - 1}
            step={1}
            aria-valuetext={formatNumber(context)}
            className="min-w-0 flex-1 accent-accent"
            value={nearestStep(steps, context)}
            onChange={(event) =>
              onChange({ ...form, contextLength: steps[Number(event.target.value)] })
            }
          />
          <input
            type="number"
            aria-label={labels.contextNumber}
            min={1}
            max={longest}
            className={`${inputClass} !w-28 text-end tabular-nums`}
            value={context}
            onChange={(event) => {
              const entered = Math.min(Math.round(event.target.valueAsNumber), longest);
              if (entered >= 1) onChange({ ...form, contextLength: entered });
            }}
          />
        </div>
      )}
    </Field>
  );
}
