import { expect, it } from 'vitest';
import { isShownAtOnce, previewKind } from './preview-kind.ts';

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

it('shows whole pages at once unless they have scripts', () => {
  expect(isShownAtOnce('svg', '<svg>')).toBe(true);
  expect(isShownAtOnce('html', '\n<!DOCTYPE html>\n<h1>Tides</h1>')).toBe(true);
  expect(isShownAtOnce('html', '<html><h1>Tides</h1></html>')).toBe(true);
  expect(isShownAtOnce('html', '<h1>Tides</h1>')).toBe(false);
  expect(isShownAtOnce('html', '<!doctype html><SCRIPT>draw()</SCRIPT>')).toBe(false);
});
