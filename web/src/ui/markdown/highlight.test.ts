import { expect, it } from 'vitest';
import { highlight } from './highlight.ts';

it.each(['javascript', 'js', 'TS', 'tsx', 'py', 'sh', 'yml', 'c++', 'rs', 'html'])(
  'knows the language %s',
  (language) => {
    expect(highlight('x = "a"', language)?.children).not.toEqual([]);
  },
);

it('highlights what is embedded', () => {
  const tree = JSON.stringify(highlight('<script>const a = 1;</script>', 'html'));
  expect(tree).toContain('hljs-keyword');
});

it('leaves unknown languages', () => {
  for (const language of ['nonsense', 'constructor', '__proto__']) {
    expect(highlight('a', language)).toBeUndefined();
  }
});
