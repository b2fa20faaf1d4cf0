import { Keys } from '../../shell/keys.tsx';
import { texts } from '../../texts/texts.ts';

const { shortcuts } = texts;
const rows = [
  ['mod+k', shortcuts.palette],
  ['mod+shift+o', shortcuts.newChat],
  ['mod+b', shortcuts.sidebar],
  ['/', shortcuts.focusInput],
  ['mod+f', shortcuts.find],
  ['mod+p', texts.chat.print],
  ['enter', shortcuts.send],
  ['shift+enter', shortcuts.newLine],
  ['escape', shortcuts.stop],
  ['?', shortcuts.help],
] as const;

export function ShortcutsPage() {
  return (
    <div className="mx-auto max-w-xl px-6 py-10">
      <h1 className="mb-6 text-xl font-semibold tracking-tight">{shortcuts.title}</h1>
      <dl className="divide-y rounded-2xl border bg-raised">
        {rows.map(([keys, label]) => (
          <div key={keys} className="flex items-center justify-between px-4 py-2.5 text-sm">
            <dt>{label}</dt>
            <dd>
              <Keys keys={keys} />
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
