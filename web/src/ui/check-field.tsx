import { useId, type ReactNode } from 'react';

/** A checkbox with its label and a hint. */
export function CheckField({
  label,
  hint,
  isChecked,
  isDisabled = false,
  onChange,
}: {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly isChecked: boolean;
  readonly isDisabled?: boolean;
  readonly onChange: (isChecked: boolean) => void;
}) {
  const id = useId();
  return (
    <div className="flex items-start gap-2.5 text-sm">
      <input
        id={id}
        type="checkbox"
        className="mt-1 accent-accent"
        checked={isChecked}
        disabled={isDisabled}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onChange={(event) => onChange(event.target.checked)}
      />
      <div className="min-w-0">
        <label htmlFor={id}>{label}</label>
        {hint !== undefined && (
          <p id={`${id}-hint`} className="text-xs text-muted">
            {hint}
          </p>
        )}
      </div>
    </div>
  );
}
