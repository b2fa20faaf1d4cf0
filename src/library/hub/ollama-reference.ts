import { parseOllamaName } from '../ollama/find-model.ts';
import type { Catalog } from './catalog.ts';

interface OllamaReference {
  /** As a download takes it. */
  readonly model: string;
  readonly quantization?: string;
}

/**
 * What a name of Ollama means on the hub: `hf.co/owner/name:QUANTIZATION` and `owner/name` a repository, other names an
 * entry of the catalog, with the tag or with one that only one entry begins with (`smollm2:360m`).
 *
 * @returns undefined for a name that is neither.
 */
export function parseOllamaReference(name: string, catalog: Catalog): OllamaReference | undefined {
  const { base: path, tag } = parseOllamaName(name);
  const base = path.replace(/^library\//, '');
  if (base.includes('/')) {
    // The hub's names have capitals, which `parseOllamaName` drops.
    const whole = name.trim().replace(/^(?:https?:\/\/)?(?:hf\.co|huggingface\.co)\//i, '');
    const model = `https://huggingface.co/${whole.slice(0, base.length)}`;
    return tag === 'latest' ? { model } : { model, quantization: whole.slice(base.length + 1) };
  }
  const id = tag === 'latest' ? base : `${base}-${tag}`;
  const entry =
    catalog.find(id) ?? only(catalog.list().filter((one) => one.id.startsWith(`${id}-`)));
  return entry === undefined ? undefined : { model: entry.id };
}

function only<Item>(items: readonly Item[]): Item | undefined {
  return items.length === 1 ? items[0] : undefined;
}
