import { texts } from '../texts/texts.ts';
import { limitMarks } from './limit-marks.ts';

/** Only the beginning of a longer text is shown, since browsers take seconds to lay out megabytes. */
const maxShown = 500_000;

const linesOfPart = /(?:[^\n]*\n){40}|[\s\S]+/g;

/** Shows plain text in parts. When the text grows, only the last part is laid out again. */
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
