import { useId, type ReactNode } from 'react';

export const inputClass =
  'w-full rounded-lg border border-strong-line/60 bg-raised px-3 py-1.5 text-sm outline-offset-0 disabled:opacity-50';

/** A form control with its label and hint. The control gets the ids that connect them. */
export function Field({
  label,
  hint,
  error,
  children,
}: {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly error?: string | undefined;
  readonly children: (attributes: {
    readonly id: string;
    readonly 'aria-describedby': string | undefined;
    readonly 'aria-invalid': boolean | undefined;
  }) => ReactNode;
}) {
  const id = useId();
  const noteId = `${id}-note`;
  const note = error ?? hint;
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      {children({
        id,
        'aria-describedby': note === undefined ? undefined : noteId,
        'aria-invalid': error === undefined ? undefined : true,
      })}
      {note !== undefined && (
        <p
          id={noteId}
          className={error === undefined ? 'text-xs text-muted' : 'text-xs text-danger'}
        >
          {note}
        </p>
      )}
    </div>
  );
}
