import { texts } from '../../../texts/texts.ts';
import { keepInView } from '../../../ui/arrow-keys.ts';
import { classNames } from '../../../ui/class-names.ts';
import type { StoredPrompt } from './prompt-queries.ts';

/** List of options above the message field, which keeps the focus. */
export function PromptList({
  id,
  prompts,
  hasManager,
  position,
  onHover,
  onChoose,
}: {
  readonly id: string;
  readonly prompts: readonly StoredPrompt[];
  /** True if the last option opens the prompt manager. */
  readonly hasManager: boolean;
  readonly position: number;
  readonly onHover: (index: number) => void;
  readonly onChoose: (index: number) => void;
}) {
  const options = [
    ...prompts.map(({ name, text }) => ({ key: name, label: name, detail: text.slice(0, 200) })),
    ...(hasManager ? [{ key: '/', label: texts.prompts.manage, detail: '' }] : []),
  ];
  return (
    <ul
      id={id}
      role="listbox"
      aria-label={texts.prompts.title}
      className="max-h-[40vh] overflow-y-auto border-b p-2"
    >
      {options.map(({ key, label, detail }, index) => (
        <li
          key={key}
          ref={index === position ? keepInView : null}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === position}
          className={classNames(
            'flex cursor-pointer items-baseline gap-3 rounded-lg px-3 py-1.5 text-sm',
            index === position && 'bg-hover',
          )}
          onMouseMove={() => onHover(index)}
          // The field keeps the focus.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(index)}
        >
          <span dir="auto" className="max-w-[50%] shrink-0 truncate font-medium">
            {label}
          </span>
          <span dir="auto" className="min-w-0 flex-1 truncate [text-align:match-parent] text-muted">
            {detail}
          </span>
        </li>
      ))}
    </ul>
  );
}
