import type { ReactNode } from 'react';

/** A list of names and values; entries without a value are left out. */
export function Facts({
  facts,
}: {
  readonly facts: readonly (readonly [name: string, value: ReactNode])[];
}) {
  return (
    <dl className="grid grid-cols-[minmax(0,2fr)_minmax(0,3fr)] gap-x-4 sm:grid-cols-[auto_1fr] sm:gap-x-6 gap-y-1.5 text-sm">
      {facts
        .filter(([, value]) => value !== undefined && value !== null && value !== '')
        .map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-muted">{name}</dt>
            <dd dir="auto" className="min-w-0 break-words [text-align:match-parent]">
              {value}
            </dd>
          </div>
        ))}
    </dl>
  );
}
