import type { Root } from 'hast';
import { common, createLowlight } from 'lowlight';

// Grammars are prepared when needed: preparing all at once would block the page. These are embedded in other languages.
const { xml, css, javascript } = common;
const lowlight = createLowlight({ xml, css, javascript } as typeof common);

/** Common names that differ from the names of the grammars. Rare names are found once all grammars are prepared. */
const aliases: Readonly<Record<string, string>> = {
  jsx: 'javascript',
  ts: 'typescript',
  tsx: 'typescript',
  py: 'python',
  sh: 'bash',
  yml: 'yaml',
  'c++': 'cpp',
};

/** Highlights code as a tree of spans; undefined for an unknown language. */
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
