import { expect, it } from 'vitest';
import { decodeEntities } from './decode-entities.ts';
import { safeUrl } from './safe-url.ts';

it.each(['https://example.org/a', 'http://example.org/', 'mailto:ada@example.org'])(
  'allows %s',
  (url) => {
    expect(safeUrl(url)).toBe(url);
  },
);

it.each([
  'javascript:alert(1)',
  ' JaVaScRiPt:alert(1)',
  'java\nscript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:x',
  'file:///etc/passwd',
  'blob:https://example.org/1',
  '/api/v1/models',
  '//example.org',
  'not an address',
])('refuses %s', (url) => {
  expect(safeUrl(url)).toBeUndefined();
});

it('refuses a scheme behind character references', () => {
  expect(safeUrl(decodeEntities('&#106;avascript&#58;alert(1)'))).toBeUndefined();
});

it('decodes character references', () => {
  expect(decodeEntities('a &lt; b &amp;&amp; c &#233; &#x1F525; &#0; &unknown')).toBe(
    'a < b && c é 🔥 \uFFFD &unknown',
  );
});
