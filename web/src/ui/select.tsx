import { inputClass } from './field.tsx';
import { classNames } from './class-names.ts';

/** A select for a few values; only screen readers get its label. */
export function Select<Value extends string>({
  label,
  value,
  options,
  onChange,
  className = '!w-auto',
}: {
  readonly label: string;
  readonly value: Value;
  readonly options: Readonly<Record<Value, string>>;
  readonly onChange: (value: Value) => void;
  readonly className?: string;
}) {
  return (
    <select
      aria-label={label}
      className={classNames(inputClass, className)}
      value={value}
      onChange={(event) => onChange(event.target.value as Value)}
    >
      {Object.entries<string>(options).map(([name, shown]) => (
        <option key={name} value={name}>
          {shown}
        </option>
      ))}
    </select>
  );
}
