import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown } from 'lucide-react';
import {
  lazy,
  Suspense,
  useDeferredValue,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { texts } from '../../../texts/texts.ts';
import { IconButton } from '../../../ui/icon-button.tsx';
import type { FindRequest } from '../find/find-bar.tsx';
import { stopReading } from './read-aloud.ts';
import { TurnView } from './turn-view.tsx';
import type { Turn, TurnActions, TurnViewProps } from './turn.ts';

interface MessageListProps extends TurnActions {
  readonly turns: readonly Turn[];
  readonly branchOf: (turn: Turn) => Pick<TurnViewProps, 'position' | 'total'>;
  readonly contextLengthOf: (turn: Turn) => number | undefined;
  readonly modelNameOf: (turn: Turn) => string;
  readonly models: TurnViewProps['models'];
  readonly isBusy: boolean;
  /** The search text to highlight in the turns; undefined if the search is closed. */
  readonly find: FindRequest | undefined;
  readonly onFindEnd: () => void;
}

const FindBar = lazy(async () => ({ default: (await import('../find/find-bar.tsx')).FindBar }));

/** If the end is at most this many pixels away, the list follows a growing answer. */
const followDistance = 60;

/** The turns of a branch; only the visible ones are in the document. */
export function MessageList({
  turns,
  branchOf,
  contextLengthOf,
  modelNameOf,
  models,
  isBusy,
  find,
  onFindEnd,
  ...actions
}: MessageListProps) {
  const scroller = useRef<HTMLDivElement>(null);
  useEffect(() => stopReading, []);
  const stable = useStable(actions);
  const [isAtEnd, setAtEnd] = useState(true);
  const follows = useRef(true);
  const virtualizer = useVirtualizer({
    count: turns.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 260,
    getItemKey: (index) => turns[index]?.key ?? index,
    overscan: 2,
    useFlushSync: false,
  });
  // Deferred: new messages are rendered in slices, so that scrolling stays smooth.
  const items = useDeferredValue(virtualizer.getVirtualItems());
  const height = virtualizer.getTotalSize();
  const toEnd = () => {
    const element = scroller.current;
    if (element !== null) element.scrollTop = element.scrollHeight;
  };
  const lastKey = turns.at(-1)?.key;
  useLayoutEffect(() => {
    follows.current = true;
  }, [lastKey, turns.length]);
  useLayoutEffect(() => {
    if (follows.current) toEnd();
  }, [height, lastKey]);
  useFollowOnResize(scroller, follows);
  const onScroll = () => {
    const element = scroller.current;
    if (element === null) return;
    const distance = element.scrollHeight - element.scrollTop - element.clientHeight;
    follows.current = distance < followDistance;
    setAtEnd(follows.current);
  };
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      {find !== undefined && (
        <Suspense>
          <FindBar
            key={find.responseId}
            request={find}
            turns={turns}
            list={scroller}
            onScrollTo={(index) => {
              follows.current = false;
              virtualizer.scrollToIndex(index, { align: 'start' });
            }}
            onClose={onFindEnd}
          />
        </Suspense>
      )}
      <div className="relative min-h-0 flex-1">
        <div
          ref={scroller}
          role="log"
          aria-label={texts.chat.conversation}
          aria-live="off"
          tabIndex={0}
          className="h-full overflow-y-auto overscroll-contain bg-bg -outline-offset-2 contain-strict"
          onScroll={onScroll}
          onWheel={(event) => {
            if (event.deltaY < 0) follows.current = false;
          }}
        >
          <div className="relative w-full" style={{ height: height + 24 }}>
            {items.map(({ key, index, start }) => {
              const turn = turns[index];
              if (turn === undefined) return null;
              return (
                <div
                  key={key}
                  ref={virtualizer.measureElement}
                  data-index={index}
                  className="absolute inset-x-0 top-0 pt-3 contain-content"
                  style={{ transform: `translateY(${start}px)` }}
                >
                  <TurnView
                    turn={turn}
                    {...branchOf(turn)}
                    contextLength={contextLengthOf(turn)}
                    modelName={modelNameOf(turn)}
                    models={models}
                    isBusy={isBusy}
                    {...stable}
                  />
                </div>
              );
            })}
          </div>
        </div>
        {!isAtEnd && (
          <IconButton
            icon={ArrowDown}
            label={texts.chat.toLatest}
            className="absolute bottom-3 left-1/2 -translate-x-1/2 border !bg-raised shadow-pop"
            onClick={() => {
              follows.current = true;
              toEnd();
            }}
          />
        )}
      </div>
    </div>
  );
}

/** Keeps the functions identical in each render, so that a growing answer does not rerender the other turns. */
function useStable(actions: TurnActions): TurnActions {
  const latest = useRef(actions);
  useLayoutEffect(() => {
    latest.current = actions;
  });
  return useMemo(
    () => ({
      onEdit: (...parts) => latest.current.onEdit(...parts),
      onRetry: (...parts) => latest.current.onRetry(...parts),
      onContinue: (...parts) => latest.current.onContinue(...parts),
      onEditAnswer: (...parts) => latest.current.onEditAnswer(...parts),
      onDelete: (...parts) => latest.current.onDelete(...parts),
      onChooseBranch: (...parts) => latest.current.onChooseBranch(...parts),
    }),
    [],
  );
}

/** Keeps the end in view when the window or the composer below is resized. */
function useFollowOnResize(
  scroller: { readonly current: HTMLDivElement | null },
  follows: { readonly current: boolean },
): void {
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => {
      if (follows.current) element.scrollTop = element.scrollHeight;
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [scroller, follows]);
}
