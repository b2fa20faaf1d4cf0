import 'katex/dist/katex.min.css';
import { render, renderToString, type KatexOptions } from 'katex';

/** Browsers crash the page if elements are nested much deeper. */
const maxDepth = 250;

/**
 * Renders a formula into an element: visibly with TeX fonts, and as MathML for screen readers. False if the formula is
 * invalid.
 */
export function renderMath(source: string, element: HTMLElement, isBlock: boolean): boolean {
  const options: KatexOptions = {
    displayMode: isBlock,
    trust: false,
    maxExpand: 200,
    maxSize: 20,
    strict: 'ignore',
  };
  try {
    const drawn = document.createElement('span');
    render(source, drawn, { ...options, output: 'html' });
    if (isDeeper(drawn, maxDepth)) return false;
    const spoken = renderToString(source, { ...options, output: 'mathml' });
    // The Content-Security-Policy forbids style attributes in HTML text. MathML is only read aloud.
    const template = document.createElement('template');
    template.innerHTML = spoken.replaceAll(/ style="[^"]*"/g, '');
    const mathml = document.createElement('span');
    mathml.className = 'katex-mathml';
    mathml.append(...template.content.querySelectorAll('math'));
    drawn.querySelector('.katex')?.prepend(mathml);
    element.replaceChildren(drawn);
    return true;
  } catch {
    return false;
  }
}

function isDeeper(element: Element, depth: number): boolean {
  return depth === 0 || Array.from(element.children).some((child) => isDeeper(child, depth - 1));
}
