import './find.css';
import { toPattern, type Match } from './find-matches.ts';

/** Maximum number of frames until a turn is in the document after scrolling to it; slow machines take several. */
const mostFrames = 90;

/** Pixels at the end of the list that the button "to the latest message" covers. */
const endMargin = 80;

/** Highlights a text in the turns that are in the document. Older browsers can't highlight it. */
export function markMatches(list: HTMLElement, text: string, current: Match | undefined): void {
  if (!('highlights' in CSS)) return;
  const pattern = toPattern(text);
  const ranges = pattern === undefined ? [] : rangesIn(list, pattern);
  const article = current === undefined ? null : articleOf(list, current);
  const isCurrent = (range: Range) => article?.contains(range.startContainer) === true;
  CSS.highlights.set('find', new Highlight(...ranges.filter((range) => !isCurrent(range))));
  CSS.highlights.set('find-current', new Highlight(...ranges.filter(isCurrent)));
}

export function unmarkMatches(): void {
  if (!('highlights' in CSS)) return;
  CSS.highlights.delete('find');
  CSS.highlights.delete('find-current');
}

/** Scrolls to a match once its turn is in the document; returns a function that stops it. */
export function showMatch(list: HTMLElement, text: string, match: Match): () => void {
  let frames = 0;
  let request = 0;
  const attempt = () => {
    frames += 1;
    const article = articleOf(list, match);
    if (article === null) {
      if (frames < mostFrames) request = requestAnimationFrame(attempt);
      return;
    }
    const pattern = toPattern(text);
    const [range] = pattern === undefined ? [] : rangesIn(article, pattern);
    const place = (range ?? article).getBoundingClientRect();
    const view = list.getBoundingClientRect();
    if (place.top < view.top || place.bottom > view.bottom - endMargin || frames === 1) {
      list.scrollTop += place.top - view.top - view.height / 3;
    }
    markMatches(list, text, match);
    // Scrolls again in later frames, since the heights of turns are only estimates until they are rendered.
    if (frames < mostFrames / 3) request = requestAnimationFrame(attempt);
  };
  request = requestAnimationFrame(attempt);
  return () => cancelAnimationFrame(request);
}

function articleOf(list: HTMLElement, { turnIndex, part }: Match): Element | null {
  const articles = list.querySelectorAll(`[data-index="${turnIndex}"] article`);
  return articles.item(part === 'answer' ? articles.length - 1 : 0);
}

function rangesIn(root: Element, pattern: RegExp): readonly Range[] {
  const ranges: Range[] = [];
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const node = texts.currentNode as Text;
    for (const { index, 0: found } of node.data.matchAll(pattern)) {
      const range = new Range();
      range.setStart(node, index);
      range.setEnd(node, index + found.length);
      ranges.push(range);
    }
  }
  return ranges;
}
