import type { LoadConfig } from '../../../../../src/api/v1/models/load-config-schema.ts';
import { modelsTexts } from '../../../texts/models.ts';
import { CheckField } from '../../../ui/check-field.tsx';
import { Field, inputClass } from '../../../ui/field.tsx';
import type { CacheType, LoadForm, SplitMode } from './load-form.ts';

const labels = modelsTexts.dialog;
const splitModes = ['none', 'layer', 'row', 'tensor'] as const satisfies readonly SplitMode[];
const cacheTypes = [
  'f32',
  'f16',
  'bf16',
  'q8_0',
  'q5_1',
  'q5_0',
  'q4_1',
  'q4_0',
  'iq4_nl',
] as const satisfies readonly CacheType[];

interface SettingsProps {
  readonly form: LoadForm;
  readonly onChange: (changes: Partial<LoadForm>) => void;
  /** Values that the server chooses for empty fields. */
  readonly defaults: LoadConfig | undefined;
  readonly hasExperts: boolean;
}

/** Field for the data type of the cache. */
export function CacheTypeSetting({ form, onChange, defaults }: Omit<SettingsProps, 'hasExperts'>) {
  return (
    <Choice
      label={labels.cacheType}
      value={form.cacheType}
      options={cacheTypes}
      fallback={defaults?.kv_cache_type}
      onChange={(cacheType) => onChange({ cacheType })}
    />
  );
}

/** Load options for GPUs. */
export function GpuSettings({ form, onChange, defaults, hasExperts }: SettingsProps) {
  const text = (
    label: string,
    name: 'gpuLayers' | 'mainGpu' | 'tensorSplit' | 'cpuExpertLayers',
    placeholder: string | undefined,
    hint?: string,
  ) => (
    <Field label={label} hint={hint}>
      {(attributes) => (
        <input
          {...attributes}
          inputMode={name === 'gpuLayers' || name === 'cpuExpertLayers' ? 'numeric' : 'text'}
          maxLength={64}
          className={inputClass}
          placeholder={placeholder ?? labels.asDefault}
          value={form[name]}
          onChange={(event) => onChange({ [name]: event.target.value })}
        />
      )}
    </Field>
  );
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        {text(
          labels.gpuLayers,
          'gpuLayers',
          defaults?.gpu_layers?.toString(),
          labels.gpuLayersHint,
        )}
        {text(labels.mainGpu, 'mainGpu', defaults?.main_gpu, labels.mainGpuHint)}
        <Choice
          label={labels.splitMode}
          value={form.splitMode}
          options={splitModes}
          fallback={defaults?.split_mode}
          onChange={(splitMode) => onChange({ splitMode })}
        />
        {text(
          labels.tensorSplit,
          'tensorSplit',
          defaults?.tensor_split?.join(','),
          labels.tensorSplitHint,
        )}
        {hasExperts &&
          text(labels.cpuExperts, 'cpuExpertLayers', defaults?.cpu_moe_layers?.toString())}
      </div>
      <CheckField
        label={labels.kvOnGpu}
        isChecked={form.isCacheOnGpu ?? defaults?.offload_kv_cache_to_gpu ?? true}
        onChange={(isCacheOnGpu) => onChange({ isCacheOnGpu })}
      />
    </>
  );
}

function Choice<Option extends string>({
  label,
  value,
  options,
  fallback,
  onChange,
}: {
  readonly label: string;
  readonly value: Option | '';
  readonly options: readonly Option[];
  readonly fallback: string | undefined;
  readonly onChange: (value: Option | '') => void;
}) {
  return (
    <Field label={label}>
      {(attributes) => (
        <select
          {...attributes}
          className={inputClass}
          value={value}
          onChange={({ target }) => onChange(options.find((each) => each === target.value) ?? '')}
        >
          <option value="">{fallback ?? labels.asDefault}</option>
          {options.map((option) => (
            <option key={option}>{option}</option>
          ))}
        </select>
      )}
    </Field>
  );
}
