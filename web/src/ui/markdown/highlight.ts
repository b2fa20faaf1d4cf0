import type { Root } from 'hast';
import { common, createLowlight } from 'lowlight';

const lowlight = createLowlight(common);

/** The code as a tree of spans; undefined for an unknown language. */
export function highlight(code: string, language: string): Root | undefined {
  const name = language.toLowerCase();
  return lowlight.registered(name) ? lowlight.highlight(name, code) : undefined;
}
