import { FileText } from 'lucide-react';
import { useState } from 'react';
import { texts } from '../../../texts/texts.ts';
import { FoldedCard } from '../../../ui/folded-card.tsx';
import { limitMarks } from '../../../ui/limit-marks.ts';
import { fileNameOf, type CitedPassage, type DocumentPart } from '../documents/document-part.ts';
import { PassageDialog } from './passage-dialog.tsx';

/** Characters of a document to show; the rest is cut off. */
const maxShown = 20_000;

/** An attached document in a folded card. */
export function DocumentCard({ document }: { readonly document: DocumentPart }) {
  return (
    <FoldedCard
      {...titleOf(document)}
      icon={<FileText size={16} aria-hidden className="shrink-0 text-accent" />}
      className="w-full max-w-[85%] sm:w-96"
      contentClassName="max-h-96 overflow-y-auto"
    >
      <DocumentContent document={document} />
    </FoldedCard>
  );
}

function titleOf(document: DocumentPart): { readonly title: string; readonly note: string } {
  if (document.kind === 'file') {
    return {
      title: document.name,
      note: texts.documents.characters({ characters: document.text.length }),
    };
  }
  const names = new Set(document.passages.map(fileNameOf));
  return {
    title: texts.documents.passagesOf({ names: [...names].join(', ') }),
    note: texts.documents.passages({ passages: document.passages.length }),
  };
}

function DocumentContent({ document }: { readonly document: DocumentPart }) {
  if (document.kind === 'file') return <Text>{document.text}</Text>;
  return (
    <ol className="flex flex-col gap-3">
      {document.passages.map((passage) => (
        <li key={passage.number}>
          <PassageTitle passage={passage} />
          <Text>{passage.text}</Text>
        </li>
      ))}
    </ol>
  );
}

/** The passages that an answer cites; each can be opened. */
export function Sources({ passages }: { readonly passages: readonly CitedPassage[] }) {
  const [shown, setShown] = useState<number>();
  if (passages.length === 0) return null;
  const opened = passages.find(({ number }) => number === shown);
  return (
    <section aria-label={texts.documents.sources} className="text-sm">
      <ul className="flex flex-wrap gap-1.5">
        {passages.map(({ number, source }) => (
          <li key={number}>
            <button
              type="button"
              aria-haspopup="dialog"
              aria-label={texts.documents.show({ name: source })}
              className="rounded-lg border bg-raised px-2 py-1 text-xs hover:bg-hover"
              onClick={() => setShown(number)}
            >
              <span className="font-medium text-accent">[{number}]</span> {source}
            </button>
          </li>
        ))}
      </ul>
      {opened !== undefined && (
        <PassageDialog passage={opened} onClose={() => setShown(undefined)} />
      )}
    </section>
  );
}

function PassageTitle({ passage: { number, source } }: { readonly passage: CitedPassage }) {
  return (
    <p className="mb-1 text-xs text-muted">
      <span className="font-medium text-accent">[{number}]</span> {source}
    </p>
  );
}

function Text({ children }: { readonly children: string }) {
  return (
    <p dir="auto" className="text-[13px] break-words whitespace-pre-wrap text-muted">
      {limitMarks(children.length > maxShown ? `${children.slice(0, maxShown)}…` : children)}
    </p>
  );
}
