import { useState } from 'react';
import { useStore } from '../../../api/store.ts';
import { texts } from '../../../texts/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { CheckField } from '../../../ui/check-field.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field, inputClass } from '../../../ui/field.tsx';
import { showToast } from '../../../ui/toasts.ts';
import { defaultSettings, type ConversationSettings } from './conversation-settings.ts';
import { FormatSetting } from './format-setting.tsx';
import { NumberSetting } from './number-setting.tsx';
import { deletePreset, presets, savePreset } from './presets.ts';
import { ToolsSetting } from './tools-setting.tsx';

interface PanelProps {
  readonly settings: ConversationSettings;
  readonly onChange: (settings: ConversationSettings) => void;
  /** Levels of reasoning that the model has. */
  readonly reasoningLevels: readonly string[];
  readonly maxContextLength: number | undefined;
}

/** System prompt, sampling, context and tools of a conversation. */
export function SettingsPanel({
  isOpen,
  onClose,
  ...props
}: PanelProps & { readonly isOpen: boolean; readonly onClose: () => void }) {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={texts.settings.title} className="max-w-xl">
      <SettingsForm {...props} />
    </Dialog>
  );
}

function SettingsForm({ settings, onChange, reasoningLevels, maxContextLength }: PanelProps) {
  const labels = texts.settings;
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
          value={settings.temperature}
          onChange={(temperature) => set({ temperature })}
        />
        <NumberSetting
          label={labels.topP}
          min={0}
          max={1}
          step={0.05}
          value={settings.topP}
          onChange={(topP) => set({ topP })}
        />
        <NumberSetting
          label={labels.topK}
          min={1}
          max={500}
          step={1}
          value={settings.topK}
          onChange={(topK) => set({ topK })}
        />
        <NumberSetting
          label={labels.minP}
          min={0}
          max={1}
          step={0.01}
          value={settings.minP}
          onChange={(minP) => set({ minP })}
        />
        <NumberSetting
          label={labels.repeatPenalty}
          min={1}
          max={2}
          step={0.05}
          value={settings.repeatPenalty}
          onChange={(repeatPenalty) => set({ repeatPenalty })}
        />
        <NumberSetting
          label={labels.maxTokens}
          min={1}
          max={1_000_000}
          step={1}
          value={settings.maxOutputTokens}
          onChange={(maxOutputTokens) => set({ maxOutputTokens })}
        />
      </fieldset>
      <NumberSetting
        label={labels.context}
        hint={labels.contextHint}
        min={256}
        max={maxContextLength ?? 10_000_000}
        step={256}
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
              <option value="">{labels.default}</option>
              {reasoningLevels.map((level) => (
                <option key={level}>{level}</option>
              ))}
            </select>
          )}
        </Field>
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

function PresetRow({ settings, onChange }: Pick<PanelProps, 'settings' | 'onChange'>) {
  const all = useStore(presets);
  const [name, setName] = useState('');
  const labels = texts.settings;
  const choose = (chosen: string) => {
    setName(chosen);
    const preset = all.find((each) => each.name === chosen);
    if (preset !== undefined) onChange({ ...preset.settings, model: settings.model });
  };
  const save = () => {
    const { model: _, ...rest } = settings;
    savePreset({ name: name.trim(), settings: rest });
    showToast(labels.presetSaved);
  };
  return (
    <div className="flex flex-wrap items-end gap-2">
      {all.length > 0 && (
        <select
          aria-label={labels.choosePreset}
          className={`${inputClass} !w-auto`}
          value={all.some((each) => each.name === name) ? name : ''}
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
        className={`${inputClass} !w-44 flex-1`}
        maxLength={60}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <Button onClick={save} disabled={name.trim() === ''}>
        {labels.savePreset}
      </Button>
      {all.some((each) => each.name === name) && (
        <Button variant="danger" onClick={() => deletePreset(name)}>
          {labels.deletePreset}
        </Button>
      )}
    </div>
  );
}
