import { texts } from '../texts/texts.ts';
import { limitMarks } from './limit-marks.ts';

/**
 * Only the beginning of a longer text is shown: browsers take seconds for the layout of megabytes.
 */
const maxShown = 500_000;

const linesOfPart = /(?:[^\n]*\n){40}|[\s\S]+/g;

/** A text as it was written, in parts: of one that grows, only the last part is laid out again. */
export function LongText({ text }: { readonly text: string }) {
  const left = text.length - maxShown;
  const shown = limitMarks(left > 0 ? text.slice(0, maxShown).toWellFormed() : text);
  return (
    <>
      {shown.match(linesOfPart)?.map((part, index) => (
        <span key={index} className="block">
          {part}
        </span>
      ))}
      {left > 0 && <em className="block">{texts.app.notShown({ characters: left })}</em>}
    </>
  );
}
