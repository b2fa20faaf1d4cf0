import { readableName } from './library-model.ts';
import type { ModelEntry } from './model.ts';

/** A model of a remote server. */
export interface RemoteModelFacts {
  readonly upstream: string;
  /** As the server calls it. */
  readonly id: string;
  /** Key in place of `<upstream>/<id>`. */
  readonly alias: string | undefined;
  readonly type: ModelEntry['type'];
  /** Undefined: unknown. */
  readonly contextLength: number | undefined;
  readonly reasons: boolean;
}

/** For a model whose server does not tell its context: more than any has, so that the server decides. */
const unknownContextLength = 1_048_576;

/** The library's entry of a remote model. Its only variant has the server's name of the model as path. */
export function remoteModelEntry(facts: RemoteModelFacts): ModelEntry {
  const { upstream, id, alias, type, contextLength, reasons } = facts;
  return {
    key: (alias ?? `${upstream}/${id}`).toLowerCase(),
    publisher: upstream,
    displayName: readableName(id.slice(id.lastIndexOf('/') + 1)),
    type,
    format: 'remote',
    architecture: 'unknown',
    parameterLabel: null,
    maxContextLength: contextLength ?? unknownContextLength,
    // Servers are asked when tools are used.
    isTrainedForToolUse: type !== 'embeddings',
    reasoning: reasons ? { allowedOptions: ['off', 'on'], default: 'on' } : null,
    supportsInfill: false,
    projectorPath: null,
    description: null,
    variants: [{ id: 'remote', quantization: null, path: id, files: [], sizeBytes: 0 }],
    projector: null,
    attention: null,
    dimensions: null,
    tokenizer: null,
  };
}
