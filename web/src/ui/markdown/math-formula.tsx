import { useEffect, useRef, useState } from 'react';
import { inSlices } from './in-slices.ts';

/** Shows a TeX formula as MathML. Shows its source until the renderer is loaded, and if it is invalid. */
export function MathFormula({
  source,
  isBlock,
}: {
  readonly source: string;
  readonly isBlock: boolean;
}) {
  const element = useRef<HTMLSpanElement>(null);
  const [rendered, setRendered] = useState<string>();
  useEffect(() => {
    const target = element.current;
    if (target === null) return;
    return inSlices(async () => {
      const { renderMath } = await import('./render-math.ts');
      return () => {
        if (renderMath(source, target, isBlock)) setRendered(source);
      };
    });
  }, [source, isBlock]);
  const isShown = rendered === source;
  return (
    <span className={isBlock ? 'math-block' : undefined}>
      {!isShown && <code>{source}</code>}
      <span ref={element} hidden={!isShown} />
    </span>
  );
}
