import { ChevronDown, ChevronUp, X } from 'lucide-react';
import { useEffect, useMemo, useRef, useState, type RefObject } from 'react';
import { useCommands } from '../../../shell/commands.ts';
import { texts } from '../../../texts/texts.ts';
import { IconButton } from '../../../ui/icon-button.tsx';
import { inputClass } from '../../../ui/field.tsx';
import type { Turn } from '../messages/turn.ts';
import { findMatches } from './find-matches.ts';
import { markMatches, showMatch, unmarkMatches } from './show-match.ts';

/** A search for text in a conversation. */
export interface FindRequest {
  readonly text: string;
  /** Id of the response to begin at, such as the result of a search over all conversations. */
  readonly responseId?: string | undefined;
  /** Increases with each request, even for the same text. */
  readonly number: number;
}

const labels = texts.chat.find;

/** Finds text in the shown branch. The browser's own search can't, since only visible turns are in the document. */
export function FindBar({
  request,
  turns,
  list,
  onScrollTo,
  onClose,
}: {
  readonly request: FindRequest;
  readonly turns: readonly Turn[];
  readonly list: RefObject<HTMLElement | null>;
  readonly onScrollTo: (turnIndex: number) => void;
  readonly onClose: () => void;
}) {
  const [text, setText] = useState(request.text);
  const field = useRef<HTMLInputElement>(null);
  const matches = useMemo(() => findMatches(turns, text), [turns, text]);
  const [position, setPosition] = useState<number>();
  const first = matches.findIndex(
    ({ turnIndex }) => turns[turnIndex]?.responseId === request.responseId,
  );
  // Begins at the requested response, or else at the newest match.
  const shown = Math.min(
    position ?? (first === -1 ? matches.length - 1 : first),
    matches.length - 1,
  );
  const match = matches[shown];
  const move = (step: number) => {
    if (matches.length > 0) setPosition((shown + step + matches.length) % matches.length);
  };
  useEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, [request.number]);
  const { turnIndex, part } = match ?? {};
  useEffect(() => {
    const element = list.current;
    if (element === null || turnIndex === undefined || part === undefined) return unmarkMatches();
    onScrollTo(turnIndex);
    return showMatch(element, text, { turnIndex, part });
    // oxlint-disable-next-line react/exhaustive-deps -- the callback changes with each render
  }, [list, text, turnIndex, part]);
  useEffect(() => {
    const element = list.current;
    if (element === null) return;
    const current = turnIndex === undefined || part === undefined ? undefined : { turnIndex, part };
    // Turns are added to the document while the user scrolls.
    const observer = new MutationObserver(() => markMatches(element, text, current));
    observer.observe(element, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, [list, text, turnIndex, part]);
  useEffect(() => unmarkMatches, []);
  const end = useRef(onClose);
  useEffect(() => {
    end.current = onClose;
  });
  useCommands(
    useMemo(
      () => [
        {
          id: 'find-end',
          label: labels.close,
          keys: 'escape',
          worksInFields: true,
          isHidden: true,
          run: () => end.current(),
        },
      ],
      [],
    ),
  );
  return (
    <search
      aria-label={labels.label}
      className="flex items-center gap-1 border-b bg-panel px-3 py-1.5 md:px-4"
    >
      <input
        ref={field}
        type="search"
        aria-label={labels.label}
        placeholder={labels.placeholder}
        className={`${inputClass} !h-8 max-w-80 min-w-0 flex-1`}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setPosition(undefined);
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
          event.preventDefault();
          move(event.shiftKey ? 1 : -1);
        }}
      />
      <span role="status" className="px-1 text-xs whitespace-nowrap text-muted tabular-nums">
        {text.trim() === ''
          ? ''
          : matches.length === 0
            ? labels.none
            : labels.position({ position: shown + 1, total: matches.length })}
      </span>
      <IconButton
        icon={ChevronUp}
        label={labels.previous}
        disabled={matches.length === 0}
        onClick={() => move(-1)}
      />
      <IconButton
        icon={ChevronDown}
        label={labels.next}
        disabled={matches.length === 0}
        onClick={() => move(1)}
      />
      <span className="hidden flex-1 sm:block" />
      <IconButton icon={X} label={labels.close} onClick={onClose} />
    </search>
  );
}
