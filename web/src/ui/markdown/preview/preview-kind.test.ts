import { expect, it } from 'vitest';
import { previewKind } from './preview-kind.ts';

it.each([
  ['mermaid', 'graph TD', 'diagram'],
  ['SVG', '<svg/>', 'svg'],
  ['xml', '<?xml version="1.0"?>\n<svg viewBox="0 0 1 1"></svg>', 'svg'],
  ['html', '<svg></svg>', 'svg'],
  ['html', '<!doctype html><svg></svg>', 'html'],
  ['xml', '<note/>', undefined],
  ['js', '<svg></svg>', undefined],
  ['', 'graph TD', undefined],
  ['mermaid', 'x'.repeat(20_001), undefined],
])('knows how %s is shown: %s', (language, code, kind) => {
  expect(previewKind(language, code)).toBe(kind);
});
