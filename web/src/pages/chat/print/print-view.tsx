import { useEffect, useRef } from 'react';
import { createPortal } from 'react-dom';
import { texts } from '../../../texts/texts.ts';
import { LongText } from '../../../ui/long-text.tsx';
import { Markdown } from '../../../ui/markdown/markdown.tsx';
import { messageParts } from '../messages/message-parts.ts';
import { MessageMedia } from '../messages/message-media.tsx';
import type { Turn } from '../messages/turn.ts';
import './print-view.css';

/** Time without changes after which formulas, diagrams and pictures are complete. */
const quietMs = 400;
const longestWaitMs = 15_000;

/** Prints all messages of a branch, also those that the list leaves out of the document. */
export function PrintView({
  title,
  turns,
  modelNameOf,
  onEnd,
}: {
  readonly title: string;
  readonly turns: readonly Turn[];
  readonly modelNameOf: (turn: Turn) => string;
  readonly onEnd: () => void;
}) {
  const element = useRef<HTMLDivElement>(null);
  const end = useRef(onEnd);
  useEffect(() => {
    end.current = onEnd;
  });
  useEffect(() => {
    const view = element.current;
    if (view === null) return;
    return whenQuiet(view, () => {
      addEventListener('afterprint', () => end.current(), { once: true });
      print();
    });
  }, []);
  return createPortal(
    <div ref={element} className="print-view" data-theme="light">
      <h1 dir="auto">{title}</h1>
      {turns.map((turn) => (
        <PrintedTurn key={turn.key} turn={turn} modelName={modelNameOf(turn)} />
      ))}
    </div>,
    document.body,
  );
}

function PrintedTurn({ turn, modelName }: { readonly turn: Turn; readonly modelName: string }) {
  const { media, documents, text } = messageParts(turn.input);
  return (
    <>
      <section>
        <h2>{texts.chat.you}</h2>
        {media.map((part, index) => (
          <MessageMedia key={index} part={part} />
        ))}
        {documents.map((each, index) => (
          <p key={index} dir="auto">
            {each.kind === 'file'
              ? each.name
              : each.passages.map(({ source }) => source).join(', ')}
          </p>
        ))}
        <p dir="auto" className="break-words whitespace-pre-wrap">
          <LongText text={text} />
        </p>
      </section>
      <section>
        <h2>{modelName || texts.chat.assistant}</h2>
        {turn.items.map((item, index) =>
          item.type === 'message' ? <Markdown key={index} text={item.content} /> : null,
        )}
      </section>
    </>
  );
}

/** Calls back when an element has not changed for a moment, or after a limit. Returns a function that cancels it. */
function whenQuiet(element: Element, onQuiet: () => void): () => void {
  const finish = () => {
    cancel();
    onQuiet();
  };
  let quiet = setTimeout(finish, quietMs);
  const limit = setTimeout(finish, longestWaitMs);
  const observer = new MutationObserver(() => {
    clearTimeout(quiet);
    quiet = setTimeout(finish, quietMs);
  });
  observer.observe(element, { childList: true, subtree: true, attributes: true });
  const cancel = () => {
    clearTimeout(quiet);
    clearTimeout(limit);
    observer.disconnect();
  };
  return cancel;
}
