import { useQuery } from '@tanstack/react-query';
import { modelDetailsQuery } from '../../../api/queries.ts';
import { texts } from '../../../texts/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { CheckField } from '../../../ui/check-field.tsx';
import { Field, inputClass } from '../../../ui/field.tsx';
import { SidePanel } from '../../../ui/side-panel.tsx';
import { estimateQuery } from '../model/model-queries.ts';
import { defaultSettings, type ConversationSettings } from './conversation-settings.ts';
import { AdaptersSetting } from './adapters-setting.tsx';
import { FormatSetting } from './format-setting.tsx';
import { NumberSetting } from './number-setting.tsx';
import { PresetRow } from './preset-row.tsx';
import { ToolsSetting } from './tools-setting.tsx';

interface PanelProps {
  readonly settings: ConversationSettings;
  readonly onChange: (settings: ConversationSettings) => void;
  /** Levels of reasoning that the model supports. */
  readonly reasoningLevels: readonly string[];
  /** The level for messages that do not set one. */
  readonly defaultReasoning: string | undefined;
  readonly maxContextLength: number | undefined;
}

/** System prompt, sampling, context and tools of a conversation. */
export function SettingsPanel({
  isOpen,
  onClose,
  ...props
}: PanelProps & { readonly isOpen: boolean; readonly onClose: () => void }) {
  return (
    <SidePanel isOpen={isOpen} onClose={onClose} title={texts.settings.title}>
      <SettingsForm {...props} />
    </SidePanel>
  );
}

function SettingsForm({
  settings,
  onChange,
  reasoningLevels,
  defaultReasoning,
  maxContextLength,
}: PanelProps) {
  const labels = texts.settings;
  const defaults = useDefaults(settings.model);
  const set = (changes: Partial<ConversationSettings>) => onChange({ ...settings, ...changes });
  return (
    <div className="flex flex-col gap-4">
      <PresetRow settings={settings} onChange={onChange} />
      <Field label={labels.systemPrompt} hint={labels.systemPromptHint}>
        {(attributes) => (
          <textarea
            {...attributes}
            rows={4}
            className={inputClass}
            value={settings.systemPrompt}
            onChange={(event) => set({ systemPrompt: event.target.value })}
          />
        )}
      </Field>
      <fieldset className="grid grid-cols-2 gap-3">
        <legend className="mb-1.5 text-sm font-semibold">{labels.sampling}</legend>
        <NumberSetting
          label={labels.temperature}
          hint={labels.temperatureHint}
          min={0}
          max={1}
          step={0.05}
          defaultValue={defaults.sampling?.temperature}
          value={settings.temperature}
          onChange={(temperature) => set({ temperature })}
        />
        <NumberSetting
          label={labels.topP}
          min={0}
          max={1}
          step={0.05}
          defaultValue={defaults.sampling?.top_p}
          value={settings.topP}
          onChange={(topP) => set({ topP })}
        />
        <NumberSetting
          label={labels.topK}
          min={1}
          max={500}
          step={1}
          defaultValue={defaults.sampling?.top_k}
          value={settings.topK}
          onChange={(topK) => set({ topK })}
        />
        <NumberSetting
          label={labels.minP}
          min={0}
          max={1}
          step={0.01}
          defaultValue={defaults.sampling?.min_p}
          value={settings.minP}
          onChange={(minP) => set({ minP })}
        />
        <NumberSetting
          label={labels.repeatPenalty}
          min={1}
          max={2}
          step={0.05}
          defaultValue={defaults.sampling?.repeat_penalty}
          value={settings.repeatPenalty}
          onChange={(repeatPenalty) => set({ repeatPenalty })}
        />
      </fieldset>
      <NumberSetting
        label={labels.maxTokens}
        min={1}
        max={1_000_000}
        step={1}
        value={settings.maxOutputTokens}
        onChange={(maxOutputTokens) => set({ maxOutputTokens })}
      />
      <NumberSetting
        label={labels.context}
        hint={labels.contextHint}
        min={256}
        max={maxContextLength ?? 10_000_000}
        step={256}
        defaultValue={defaults.contextLength}
        value={settings.contextLength}
        onChange={(contextLength) => set({ contextLength })}
      />
      {reasoningLevels.length > 0 && (
        <Field label={labels.reasoning}>
          {(attributes) => (
            <select
              {...attributes}
              className={inputClass}
              value={settings.reasoning ?? ''}
              onChange={({ target: { value } }) =>
                set({
                  reasoning:
                    value === '' ? undefined : (value as ConversationSettings['reasoning']),
                })
              }
            >
              <option value="">
                {defaultReasoning === undefined
                  ? labels.default
                  : labels.defaultIs({ value: defaultReasoning })}
              </option>
              {reasoningLevels.map((level) => (
                <option key={level}>{level}</option>
              ))}
            </select>
          )}
        </Field>
      )}
      {settings.model !== undefined && defaults.adapters.length > 0 && (
        <AdaptersSetting
          model={settings.model}
          adapters={defaults.adapters}
          settings={settings}
          onChange={onChange}
        />
      )}
      <FormatSetting settings={settings} onChange={onChange} />
      <ToolsSetting settings={settings} onChange={onChange} />
      <CheckField
        label={labels.dropsOldTurns}
        hint={labels.dropsOldTurnsHint}
        isChecked={settings.dropsOldTurns === true}
        onChange={(dropsOldTurns) => set({ dropsOldTurns: dropsOldTurns || undefined })}
      />
      <div>
        <Button
          size="small"
          onClick={() => onChange({ ...defaultSettings, model: settings.model })}
        >
          {labels.reset}
        </Button>
      </div>
    </div>
  );
}

/** The model's defaults for empty settings; undefined if the caller may not read them. */
function useDefaults(model: string | undefined) {
  const details = useQuery({
    ...modelDetailsQuery(model ?? ''),
    enabled: model !== undefined,
    retry: false,
  });
  const estimate = useQuery({
    ...estimateQuery(model ?? '', undefined),
    enabled: model !== undefined,
  });
  return {
    sampling: details.data?.default_sampling,
    adapters: details.data?.adapters ?? [],
    contextLength:
      details.data?.loaded_instances[0]?.config.context_length ??
      estimate.data?.load_config.context_length,
  };
}
