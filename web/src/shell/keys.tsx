import { shownKeys } from './commands.ts';

/** Shows the keys of a shortcut. */
export function Keys({ keys }: { readonly keys: string }) {
  return (
    <span className="inline-flex gap-1">
      {shownKeys(keys).map((key) => (
        <kbd
          key={key}
          className="min-w-5 rounded border bg-panel px-1.5 text-center font-sans text-xs leading-5 text-muted"
        >
          {key}
        </kbd>
      ))}
    </span>
  );
}
