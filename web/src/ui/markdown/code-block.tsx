import type { Root, RootContent } from 'hast';
import { startTransition, useEffect, useState, type ReactNode } from 'react';
import { texts } from '../../texts/texts.ts';
import { CopyButton } from '../copy-button.tsx';
import { LongText } from '../long-text.tsx';
import { inSlices } from './in-slices.ts';

/** Longer code is shown without colours. */
const maxHighlighted = 40_000;

/** A block of code with its language, a button to copy it, and colours once it is complete. */
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
  return (
    <figure dir="ltr" className="code-block">
      <figcaption>
        <span>{name === '' ? texts.markdown.code : name}</span>
        <CopyButton text={code} label={texts.markdown.copyCode} />
      </figcaption>
      <pre tabIndex={0}>
        <code>{tree === undefined ? <LongText text={code} /> : tree.children.map(toElement)}</code>
      </pre>
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
