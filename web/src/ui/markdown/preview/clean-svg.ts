const namespace = 'http://www.w3.org/2000/svg';
const namespaces = { xmlns: namespace, 'xmlns:xlink': 'http://www.w3.org/1999/xlink' };

/** An element counts each time it is referenced. Browsers would take minutes to draw more. */
const maxElements = 20_000;
const maxDepth = 200;
/** A filter step counts for more, since it works on each pixel. */
const elementsOfFilterStep = 500;

const forbidden =
  'script, foreignObject, iframe, object, embed, audio, video, handler, listener, set[attributeName*="href"], animate[attributeName*="href"]';

/**
 * Returns SVG as a separate document, without scripts, HTML and external references.
 *
 * @throws Error if it is not well-formed or would take too long to draw.
 */
export function cleanSvg(code: string): string {
  const source = code.replace(/^[\s\S]*?(?=<svg[\s>])/, '');
  if (/<!(?:DOCTYPE|ENTITY)/i.test(source)) throw new Error('A picture has no entities.');
  const named = withNamespaces(source);
  const parsed = new DOMParser().parseFromString(named, 'image/svg+xml');
  const root = parsed.documentElement;
  const problem = parsed.querySelector('parsererror');
  if (problem !== null) throw new Error(problem.textContent.trim().slice(0, 300));
  for (const element of parsed.querySelectorAll(forbidden)) element.remove();
  for (const element of parsed.querySelectorAll('*')) {
    if (element.namespaceURI !== namespace) element.remove();
    else for (const attribute of element.attributes) cleanAttribute(element, attribute);
  }
  if (elementsToDraw(root) > maxElements) throw new Error('The picture has too many elements.');
  giveSize(root);
  return new XMLSerializer().serializeToString(root);
}

function withNamespaces(source: string): string {
  const [start = ''] = /^<svg[^>]*/.exec(source) ?? [];
  const missing = Object.entries(namespaces).filter(
    ([name]) => !new RegExp(`\\s${name}\\s*=`).test(start),
  );
  return `<svg${missing.map(([name, url]) => ` ${name}="${url}"`).join('')}${source.slice('<svg'.length)}`;
}

function cleanAttribute(element: Element, { name, localName, value }: Attr): void {
  const isHandler = /^on/i.test(localName);
  const isForeign =
    localName === 'href' && !/^\s*(?:#|data:image\/(?:png|jpeg|gif|webp);)/i.test(value);
  if (isHandler || isForeign) element.removeAttribute(name);
}

/** If a picture has no size, sets it to the size of its view box. */
function giveSize(root: Element): void {
  const [, , width, height] = (root.getAttribute('viewBox') ?? '').trim().split(/[\s,]+/);
  if (width === undefined || height === undefined) return;
  for (const [name, value] of [
    ['width', width],
    ['height', height],
  ] as const) {
    const current = root.getAttribute(name);
    if (current === null || current.endsWith('%')) root.setAttribute(name, value);
  }
}

/** Number of elements to draw. An element counts each time it is referenced by `<use>`, a pattern, a mask or the like. */
function elementsToDraw(root: Element): number {
  const known = new Map<Element, number>();
  const byId = new Map([...root.querySelectorAll('[id]')].map((each) => [each.id, each]));
  const styles = [...root.querySelectorAll('style')].map(({ textContent }) => textContent).join();
  const everywhere = targetsIn(styles);
  const countOf = (element: Element, depth: number): number => {
    if (depth > maxDepth) return Infinity;
    const earlier = known.get(element);
    if (earlier !== undefined) return earlier;
    // Circular references are not drawn, so they count as zero.
    known.set(element, 0);
    let count = element.localName.startsWith('fe') ? elementsOfFilterStep : 1;
    for (const child of element.children) count += countOf(child, depth + 1);
    for (const { localName, value } of element.attributes) {
      const targets = localName === 'href' ? [value.trim().slice(1)] : targetsIn(value);
      for (const id of targets) count += countOfTarget(id, depth);
    }
    for (const id of everywhere) count += countOfTarget(id, depth);
    known.set(element, count);
    return count;
  };
  const countOfTarget = (id: string, depth: number): number => {
    const target = byId.get(id);
    return target === undefined ? 0 : countOf(target, depth + 1);
  };
  return countOf(root, 0);
}

/** Ids in references such as `url(#id)`. */
function targetsIn(text: string): readonly string[] {
  return Array.from(text.matchAll(/url\(\s*["']?#([^"')]+)/g), ([, id = '']) => id);
}
