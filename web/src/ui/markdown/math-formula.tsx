import { useEffect, useRef, useState } from 'react';

/** A formula of TeX as MathML; its source until that is loaded, and if it is not valid. */
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
    let isCurrent = true;
    void import('./render-math.ts').then(({ renderMath }) => {
      if (!isCurrent || element.current === null) return;
      if (renderMath(source, element.current, isBlock)) setRendered(source);
    });
    return () => {
      isCurrent = false;
    };
  }, [source, isBlock]);
  const isShown = rendered === source;
  return (
    <span className={isBlock ? 'math-block' : undefined}>
      {!isShown && <code>{source}</code>}
      <span ref={element} hidden={!isShown} />
    </span>
  );
}
