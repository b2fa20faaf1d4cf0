import { voiceTexts } from '../../texts/voice.ts';
import { CheckField } from '../../ui/check-field.tsx';
import { Field, inputClass } from '../../ui/field.tsx';
import { Select } from '../../ui/select.tsx';
import { speakerColor } from './speaker-colors.ts';
import { maxSpeakers, newSpeaker, type VoiceForm } from './voice-options.ts';

const labels = voiceTexts;
const counts = { '1': '1', '2': '2', '3': '3', '4': '4' };

interface SettingsProps {
  readonly form: VoiceForm;
  readonly onChange: (form: VoiceForm) => void;
}

/** The options of the formatter. */
export function VoiceSettings({ form, onChange }: SettingsProps) {
  const set = (changes: Partial<VoiceForm>) => onChange({ ...form, ...changes });
  const choice = <Name extends 'mode' | 'output'>(
    label: string,
    name: Name,
    options: Readonly<Record<VoiceForm[Name], string>>,
  ) => (
    <Field label={label}>
      {(attributes) => (
        <select
          {...attributes}
          className={inputClass}
          value={form[name]}
          onChange={(event) => set({ [name]: event.target.value })}
        >
          {Object.entries<string>(options).map(([value, shown]) => (
            <option key={value} value={value}>
              {shown}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
  const setCount = (count: number) =>
    set({
      speakers: Array.from(
        { length: Math.min(count, maxSpeakers) },
        (_, index) => form.speakers[index] ?? newSpeaker,
      ),
    });
  return (
    <div className="flex flex-col gap-4">
      <div className="grid grid-cols-[repeat(auto-fit,minmax(12rem,1fr))] gap-4">
        {choice(labels.mode, 'mode', labels.modes)}
        {choice(labels.output, 'output', labels.outputs)}
        <Field label={labels.speakers}>
          {(attributes) => (
            <select
              {...attributes}
              className={inputClass}
              value={form.speakers.length}
              onChange={(event) => setCount(Number(event.target.value))}
            >
              {Object.keys(counts).map((count) => (
                <option key={count}>{count}</option>
              ))}
            </select>
          )}
        </Field>
      </div>
      <ul className="flex flex-col gap-2">
        {form.speakers.map((_, index) => (
          <SpeakerRow key={index} index={index} form={form} onChange={onChange} />
        ))}
      </ul>
      <CheckField
        label={labels.clean}
        hint={labels.cleanHint}
        isChecked={form.isClean}
        onChange={(isClean) => set({ isClean })}
      />
    </div>
  );
}

function SpeakerRow({ index, form, onChange }: SettingsProps & { readonly index: number }) {
  const speaker = form.speakers[index] ?? newSpeaker;
  const set = (changes: Partial<typeof speaker>) =>
    onChange({
      ...form,
      speakers: form.speakers.map((each, position) =>
        position === index ? { ...each, ...changes } : each,
      ),
    });
  const number = index + 1;
  return (
    <li className="flex flex-wrap items-center gap-2">
      <span className={`w-20 text-sm font-semibold ${speakerColor(number)}`}>
        {labels.speaker({ number })}
      </span>
      <input
        aria-label={labels.voice({ number })}
        placeholder={labels.voicePlaceholder}
        maxLength={1024}
        className={`${inputClass} !w-40 flex-1`}
        value={speaker.voice}
        onChange={(event) => set({ voice: event.target.value })}
      />
      <Select
        label={labels.emotion({ number })}
        value={speaker.emotion}
        options={labels.emotions}
        onChange={(emotion) => set({ emotion })}
      />
    </li>
  );
}
