import { CopyButton } from './copy-button.tsx';
import { LongText } from './long-text.tsx';

/** Text in a monospace font, such as a command, with a button to copy it. */
export function CodeText({ text, label }: { readonly text: string; readonly label?: string }) {
  return (
    <div className="flex items-start gap-2 rounded-lg bg-code py-1 pe-1 ps-3">
      <pre
        tabIndex={0}
        aria-label={label}
        className="max-h-80 min-w-0 flex-1 overflow-auto py-1.5 font-mono text-[13px] leading-5 break-words whitespace-pre-wrap"
      >
        <LongText text={text} />
      </pre>
      <CopyButton text={text} />
    </div>
  );
}
