import { omitUndefined } from '../../kernel/omit-undefined.ts';
import { parseOllamaName } from '../ollama/find-model.ts';
import type { Catalog } from './catalog.ts';

/** Download requests to try in this order; the first that finds a model is used. */
interface OllamaReference {
  /** A repository of the model hub, or an entry of the catalog. */
  readonly hub?: { readonly model: string; readonly quantization?: string };
  /** The model in the registry of Ollama; absent for names of the hub. */
  readonly registry?: { readonly model: string };
}

const hubHost = /^(?:https?:\/\/)?(?:hf\.co|huggingface\.co)\//i;
const registryHost = /^(?:https?:\/\/)?registry\.ollama\.ai\//i;

/**
 * Resolves one of Ollama's model names to download requests. `hf.co/owner/name:QUANTIZATION` is a repository of the
 * hub; `owner/name` is tried on the hub, then in the registry. A name without an owner is looked up in the catalog, by
 * its tag or by a prefix that only one entry has (`smollm2:360m`); otherwise it is a model of the registry.
 */
export function parseOllamaReference(name: string, catalog: Catalog): OllamaReference {
  const { base: path, tag } = parseOllamaName(name);
  const base = path.replace(/^library\//, '');
  const registry = { model: `ollama:${base}:${tag}` };
  if (base.includes('/')) {
    if (registryHost.test(name.trim())) return { registry };
    // The hub's names may have capitals, which `parseOllamaName` changes to lower case.
    const whole = name.trim().replace(hubHost, '');
    const model = `https://huggingface.co/${whole.slice(0, base.length)}`;
    const quantization = tag === 'latest' ? undefined : whole.slice(base.length + 1);
    const hub = { model, ...omitUndefined({ quantization }) };
    return hubHost.test(name.trim()) ? { hub } : { hub, registry };
  }
  const id = tag === 'latest' ? base : `${base}-${tag}`;
  const entry =
    catalog.find(id) ?? only(catalog.list().filter((one) => one.id.startsWith(`${id}-`)));
  return entry === undefined ? { registry } : { hub: { model: entry.id } };
}

function only<Item>(items: readonly Item[]): Item | undefined {
  return items.length === 1 ? items[0] : undefined;
}
