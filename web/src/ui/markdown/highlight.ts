import type { Root } from 'hast';
import { common, createLowlight } from 'lowlight';

// Languages are prepared when they are needed: all at once would stop the page. These are embedded in others.
const { xml, css, javascript } = common;
const lowlight = createLowlight({ xml, css, javascript } as typeof common);

/**
 * Frequent names that differ from the grammars'; the others are known once all grammars are
 * prepared.
 */
const aliases: Readonly<Record<string, string>> = {
  jsx: 'javascript',
  ts: 'typescript',
  tsx: 'typescript',
  py: 'python',
  sh: 'bash',
  yml: 'yaml',
  'c++': 'cpp',
};

/** The code as a tree of spans; undefined for an unknown language. */
export function highlight(code: string, language: string): Root | undefined {
  const name = language.toLowerCase();
  if (!lowlight.registered(name)) prepare(Object.hasOwn(aliases, name) ? aliases[name] : name);
  return lowlight.registered(name) ? lowlight.highlight(name, code) : undefined;
}

function prepare(name = ''): void {
  const grammar = Object.hasOwn(common, name) ? common[name] : undefined;
  if (grammar === undefined) lowlight.register(common);
  else lowlight.register(name, grammar);
}
