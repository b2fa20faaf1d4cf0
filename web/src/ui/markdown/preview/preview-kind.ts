export type PreviewKind = 'diagram' | 'svg' | 'html';

/** Longer code has no preview. */
const maxLengths = { diagram: 20_000, svg: 500_000, html: 500_000 };

/** How a block of code can be shown beside its text, by its language as Markdown names it; undefined if in no other way. */
export function previewKind(language: string, code: string): PreviewKind | undefined {
  const kind = kindOf(language.toLowerCase(), code);
  return kind !== undefined && code.length <= maxLengths[kind] ? kind : undefined;
}

function kindOf(language: string, code: string): PreviewKind | undefined {
  if (language === 'mermaid') return 'diagram';
  if (language === 'svg') return 'svg';
  if (!['xml', 'html', 'htm', 'xhtml'].includes(language)) return undefined;
  if (/^\s*(?:<\?xml[^>]*>\s*)?(?:<!--[^>]*-->\s*)?<svg[\s>]/.test(code.slice(0, 2000)))
    return 'svg';
  return language.startsWith('htm') || language === 'xhtml' ? 'html' : undefined;
}

/** Pictures and whole pages are shown at once; a part of a page, and a page that needs its scripts, to those who ask for it. */
export function isShownAtOnce(kind: PreviewKind, code: string): boolean {
  return (
    kind !== 'html' || (/^\s*<(?:!doctype html|html)[\s>]/i.test(code) && !/<script/i.test(code))
  );
}
