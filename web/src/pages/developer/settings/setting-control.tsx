import type { SettingRecord } from '../../../../../src/api/v1/server/setting-schema.ts';
import { developerTexts } from '../../../texts/developer.ts';
import { classNames } from '../../../ui/class-names.ts';
import { inputClass } from '../../../ui/field.tsx';

const labels = developerTexts.settings;

/** A form field for the type of a setting. */
export function SettingControl({
  setting: { type, choices, secret, source, minimum, maximum },
  attributes,
  text,
  onChange,
}: {
  readonly setting: SettingRecord;
  readonly attributes: {
    readonly id: string;
    readonly 'aria-invalid': boolean;
    readonly 'aria-describedby': string;
  };
  readonly text: string;
  readonly onChange: (text: string) => void;
}) {
  const common = {
    ...attributes,
    className: inputClass,
    value: text,
    disabled: source === 'flag' || source === 'environment',
    onChange: (event: { readonly target: { readonly value: string } }) =>
      onChange(event.target.value),
  };
  if (type === 'boolean' || choices !== undefined) {
    const options =
      choices?.map((choice) => [choice, choice] as const) ??
      ([
        ['true', labels.on],
        ['false', labels.off],
      ] as const);
    return (
      <select {...common}>
        {text === '' && <option value="">{labels.none}</option>}
        {options.map(([value, shown]) => (
          <option key={value} value={value}>
            {shown}
          </option>
        ))}
      </select>
    );
  }
  if (type === 'list' || type === 'object') {
    const mostRows = type === 'object' ? 16 : 6;
    return (
      <textarea
        {...common}
        className={classNames(inputClass, type === 'object' && 'font-mono text-[13px]')}
        rows={Math.min(mostRows, text.split('\n').length + 1)}
        spellCheck={false}
      />
    );
  }
  if (type === 'integer') return <input {...common} type="number" min={minimum} max={maximum} />;
  return (
    <input {...common} type={secret ? 'password' : 'text'} autoComplete="off" spellCheck={false} />
  );
}
