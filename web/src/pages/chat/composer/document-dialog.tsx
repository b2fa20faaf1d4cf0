import { texts } from '../../../texts/texts.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { LongText } from '../../../ui/long-text.tsx';
import { documentText, type TextDocument } from '../documents/document.ts';

/** Shows the text of an attached file as the model receives it. */
export function DocumentDialog({
  document,
  facts,
  onClose,
}: {
  readonly document: TextDocument;
  readonly facts: string;
  readonly onClose: () => void;
}) {
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={document.name}
      description={facts}
      className="max-w-3xl"
    >
      {document.isTruncated === true && (
        <p className="pb-2 text-sm text-warn">{texts.documents.truncated}</p>
      )}
      <div dir="auto" className="text-[13px] break-words whitespace-pre-wrap">
        <LongText text={documentText(document)} />
      </div>
    </Dialog>
  );
}
