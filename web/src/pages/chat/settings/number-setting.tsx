import { RotateCcw } from 'lucide-react';
import { useState } from 'react';
import { texts } from '../../../texts/texts.ts';
import { IconButton } from '../../../ui/icon-button.tsx';
import { Field, inputClass } from '../../../ui/field.tsx';

/** A number that may be absent. If the number is out of range, an error is shown and `onChange` is not called. */
export function NumberSetting({
  label,
  hint,
  min,
  max,
  step,
  defaultValue,
  value,
  onChange,
}: {
  readonly label: string;
  readonly hint?: string;
  readonly min: number;
  readonly max: number;
  readonly step: number;
  /** Value that applies if the field is empty, if known. */
  readonly defaultValue?: number | undefined;
  readonly value: number | undefined;
  readonly onChange: (value: number | undefined) => void;
}) {
  const [text, setText] = useState(value === undefined ? '' : String(value));
  const [shown, setShown] = useState(value);
  if (shown !== value) {
    // The value changed elsewhere: by a preset, or a reset to the defaults.
    setShown(value);
    setText(value === undefined ? '' : String(value));
  }
  const number = Number(text);
  const isValid =
    text === '' || (number >= min && number <= max && (step < 1 || Number.isInteger(number)));
  const change = (next: string) => {
    setText(next);
    const parsed = next === '' ? undefined : Number(next);
    const isAllowed =
      parsed === undefined ||
      (parsed >= min && parsed <= max && (step < 1 || Number.isInteger(parsed)));
    if (!isAllowed) return;
    setShown(parsed);
    onChange(parsed);
  };
  const hints = [
    ...(defaultValue === undefined
      ? []
      : [texts.settings.defaultIs({ value: String(defaultValue) })]),
    ...(hint === undefined ? [] : [hint]),
  ];
  return (
    <Field
      label={label}
      hint={hints.length === 0 ? undefined : hints.join(' ')}
      error={isValid ? undefined : texts.settings.outOfRange({ min, max })}
    >
      {(attributes) => (
        <div className="flex items-center gap-1">
          <input
            {...attributes}
            type="number"
            inputMode="decimal"
            min={min}
            max={max}
            step={step}
            placeholder={defaultValue === undefined ? texts.settings.default : String(defaultValue)}
            className={inputClass}
            value={text}
            onChange={(event) => change(event.target.value)}
          />
          {text !== '' && (
            <IconButton
              icon={RotateCcw}
              label={texts.settings.resetValue({ label })}
              size={14}
              onClick={() => change('')}
            />
          )}
        </div>
      )}
    </Field>
  );
}
