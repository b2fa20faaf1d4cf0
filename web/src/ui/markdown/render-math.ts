import katex from 'katex';

/** Puts a formula into an element; false if it is not valid TeX. */
export function renderMath(source: string, element: HTMLElement, isBlock: boolean): boolean {
  try {
    katex.render(source, element, {
      displayMode: isBlock,
      // Elements of the browser: no fonts and no styles to load.
      output: 'mathml',
      trust: false,
      maxExpand: 200,
      maxSize: 20,
      strict: 'ignore',
    });
    return true;
  } catch {
    return false;
  }
}
