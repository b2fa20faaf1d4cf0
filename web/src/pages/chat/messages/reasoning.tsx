import { ChevronRight } from 'lucide-react';
import { useId, useState } from 'react';
import { texts } from '../../../texts/texts.ts';
import { classNames } from '../../../ui/class-names.ts';
import { Markdown } from '../../../ui/markdown/markdown.tsx';
import { formatDuration } from '../../../ui/duration.ts';

/** Seconds. A shorter time is not measured well, since fast answers are read in batches. */
const shortestShown = 0.1;

/** The model's reasoning before its answer, in a folded card. */
export function Reasoning({
  text,
  isOpen: isRunning,
  seconds,
}: {
  readonly text: string;
  readonly isOpen: boolean;
  /** Duration of the reasoning, if known. */
  readonly seconds: number | undefined;
}) {
  const [isShown, setShown] = useState(false);
  const id = useId();
  const { reasoning, reasoningRunning, reasoningTime } = texts.chat;
  const title = isRunning
    ? reasoningRunning
    : seconds === undefined || seconds < shortestShown
      ? reasoning
      : reasoningTime({ time: formatDuration(seconds) });
  return (
    <div>
      <button
        type="button"
        aria-expanded={isShown}
        aria-controls={id}
        className="flex items-center gap-1.5 rounded-md text-sm text-muted hover:text-text"
        onClick={() => setShown(!isShown)}
      >
        <ChevronRight
          size={15}
          aria-hidden
          className={classNames('transition-transform', isShown && 'rotate-90')}
        />
        <span className={classNames(isRunning && 'animate-pulse')}>{title}</span>
      </button>
      <div id={id} hidden={!isShown} className="mt-2 border-s-2 ps-4 text-sm text-muted">
        {isShown && <Markdown text={text} isOpen={isRunning} />}
      </div>
    </div>
  );
}
