import { useEffect, useRef, useState, type ReactNode } from 'react';
import { texts } from '../../../texts/texts.ts';
import { drawPicture } from './draw-picture.ts';
import { InvalidCodeError, openFrame } from './open-frame.ts';
import type { PreviewKind } from './preview-kind.ts';

interface PreviewProps {
  readonly kind: PreviewKind;
  readonly code: string;
  readonly isLarge?: boolean;
  /** Shown until the picture is drawn, and if drawing fails. */
  readonly children?: ReactNode;
}

/** Shows a model's code as a picture, or as a page without its scripts. */
export function Preview({ kind, code, isLarge = false, children }: PreviewProps) {
  if (kind === 'html') return <PagePreview code={code} isLarge={isLarge} />;
  return (
    <PicturePreview kind={kind} code={code} isLarge={isLarge}>
      {children}
    </PicturePreview>
  );
}

function PicturePreview({
  kind,
  code,
  isLarge,
  children,
}: PreviewProps & { readonly kind: 'diagram' | 'svg' }) {
  const { result, problem } = useDrawing(() => drawPicture(kind, code), `${kind} ${code}`);
  if (result === undefined) {
    return (
      <>
        {problem !== undefined && <p className="preview-note">{problem}</p>}
        {children}
      </>
    );
  }
  const { preview } = texts.markdown;
  return (
    <div className={isLarge ? 'preview-picture is-large' : 'preview-picture'}>
      <img src={result} alt={preview.alt[kind]} />
    </div>
  );
}

function PagePreview({ code, isLarge }: { readonly code: string; readonly isLarge: boolean }) {
  const element = useRef<HTMLIFrameElement>(null);
  const { result, problem } = useDrawing(async () => {
    if (element.current === null) return '';
    const frame = await openFrame(element.current, 'html');
    return frame.draw(code);
  }, code);
  const { preview } = texts.markdown;
  return (
    <>
      <p className="preview-note">{problem ?? preview.withoutScripts}</p>
      <iframe
        ref={element}
        title={preview.alt.html}
        aria-busy={result === undefined && problem === undefined}
        sandbox="allow-scripts"
        className={isLarge ? 'preview-page is-large' : 'preview-page'}
      />
    </>
  );
}

/** The result of a drawing, or its error as text. */
function useDrawing(draw: () => Promise<string>, key: string) {
  const [state, setState] = useState<{ key: string; result?: string; problem?: string }>();
  useEffect(() => {
    let isCurrent = true;
    draw().then(
      (result) => isCurrent && setState({ key, result }),
      (error: unknown) => isCurrent && setState({ key, problem: problemText(error) }),
    );
    return () => {
      isCurrent = false;
    };
    // The key contains everything that the drawing depends on.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [key]);
  const { result, problem } = state?.key === key ? state : {};
  return { result, problem };
}

function problemText(error: unknown): string {
  const { preview } = texts.markdown;
  return error instanceof InvalidCodeError
    ? preview.invalid({ reason: error.message })
    : preview.tooSlow;
}
