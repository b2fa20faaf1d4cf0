export type PreviewKind = 'diagram' | 'svg' | 'html';

/** Longer code has no preview. */
const maxLengths = { diagram: 20_000, svg: 500_000, html: 500_000 };

/** The kind of preview for a block of code, by the language that Markdown names; undefined if there is none. */
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

/** True for pictures and whole pages. Parts of a page, and pages that need scripts, are shown only on request. */
export function isShownAtOnce(kind: PreviewKind, code: string): boolean {
  return (
    kind !== 'html' || (/^\s*<(?:!doctype html|html)[\s>]/i.test(code) && !/<script/i.test(code))
  );
}
