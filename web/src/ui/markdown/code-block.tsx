import type { Root, RootContent } from 'hast';
import { Code, Download, Eye, Maximize2, WrapText } from 'lucide-react';
import { startTransition, useEffect, useState, type ReactNode } from 'react';
import { texts } from '../../texts/texts.ts';
import { CopyButton } from '../copy-button.tsx';
import { Dialog } from '../dialog.tsx';
import { IconButton } from '../icon-button.tsx';
import { LongText } from '../long-text.tsx';
import { saveFile } from '../save-file.ts';
import { codeFileName } from './code-file-name.ts';
import { inSlices } from './in-slices.ts';
import { isShownAtOnce, previewKind } from './preview/preview-kind.ts';
import { Preview } from './preview/preview.tsx';

/** Longer code is shown without colors. */
const maxHighlighted = 40_000;

/** A block of code with its language and a button to copy it. Once it is complete, it gets colors and a preview. */
export function CodeBlock({
  code,
  language,
  isOpen,
}: {
  readonly code: string;
  readonly language: string;
  readonly isOpen: boolean;
}) {
  const name = /^[\w+#.-]+/.exec(language)?.[0] ?? '';
  const tree = useHighlighted(code, name, isOpen);
  const [isWrapped, setWrapped] = useState(false);
  const kind = isOpen ? undefined : previewKind(name, code);
  const [choice, setChoice] = useState<'preview' | 'code'>();
  const [isLarge, setLarge] = useState(false);
  const isPreview =
    kind !== undefined &&
    (choice ?? (isShownAtOnce(kind, code) ? 'preview' : 'code')) === 'preview';
  const { markdown } = texts;
  const body = (
    <pre tabIndex={0} className={isWrapped ? 'whitespace-pre-wrap wrap-anywhere' : ''}>
      <code>{tree === undefined ? <LongText text={code} /> : tree.children.map(toElement)}</code>
    </pre>
  );
  return (
    <figure dir="ltr" className="code-block">
      <figcaption>
        <span className="flex-1">{name === '' ? markdown.code : name}</span>
        {isPreview && (
          <IconButton
            icon={Maximize2}
            label={markdown.preview.openLarge}
            size={15}
            onClick={() => setLarge(true)}
          />
        )}
        {kind !== undefined && (
          <IconButton
            icon={isPreview ? Code : Eye}
            label={isPreview ? markdown.preview.showCode : markdown.preview.show}
            size={15}
            onClick={() => setChoice(isPreview ? 'code' : 'preview')}
          />
        )}
        <IconButton
          icon={WrapText}
          label={markdown.wrap}
          size={15}
          aria-pressed={isWrapped}
          className={isWrapped ? '!text-accent' : ''}
          onClick={() => setWrapped(!isWrapped)}
        />
        <IconButton
          icon={Download}
          label={markdown.downloadCode}
          size={15}
          onClick={() => saveFile(codeFileName(name), code)}
        />
        <CopyButton text={code} label={markdown.copyCode} />
      </figcaption>
      {isPreview ? (
        <Preview kind={kind} code={code}>
          {body}
        </Preview>
      ) : (
        body
      )}
      {isPreview && (
        <Dialog
          isOpen={isLarge}
          onClose={() => setLarge(false)}
          title={markdown.preview.title}
          className="!inset-4 !max-h-none !max-w-none"
        >
          <Preview kind={kind} code={code} isLarge />
        </Dialog>
      )}
    </figure>
  );
}

function useHighlighted(code: string, language: string, isOpen: boolean): Root | undefined {
  const [result, setResult] = useState<{ readonly code: string; readonly tree: Root }>();
  useEffect(() => {
    if (isOpen || language === '' || code.length > maxHighlighted) return;
    return inSlices(async () => {
      const { highlight } = await import('./highlight.ts');
      return () => {
        const tree = highlight(code, language);
        if (tree !== undefined) startTransition(() => setResult({ code, tree }));
      };
    });
  }, [code, language, isOpen]);
  return result?.code === code ? result.tree : undefined;
}

function toElement(node: RootContent, index: number): ReactNode {
  if (node.type === 'text') return node.value;
  if (node.type !== 'element') return null;
  const names = node.properties['className'];
  return (
    <span key={index} className={Array.isArray(names) ? names.join(' ') : undefined}>
      {node.children.map(toElement)}
    </span>
  );
}
