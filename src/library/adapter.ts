import type { AdapterFacts } from './gguf/adapter-facts.ts';
import type { ModelSelection } from './model.ts';

/** A LoRA adapter on disk: changes to some matrices of a model, which an engine adds while it runs. */
export interface AdapterEntry extends Omit<AdapterFacts, 'name'> {
  /** `publisher/name`, lower case. */
  readonly key: string;
  readonly displayName: string;
  readonly path: string;
  readonly sizeBytes: number;
  /** Names the content: it changes with the file. */
  readonly id: string;
}

export interface AdapterLibrary {
  /** Every readable adapter, by key. */
  listAdapters(): Promise<readonly AdapterEntry[]>;

  /** The adapters that fit a model, by key. */
  adaptersFor(selection: ModelSelection): Promise<readonly AdapterEntry[]>;

  /**
   * Finds an adapter for a model by `publisher/name`, or by `name` alone if that is unambiguous; ignores case.
   *
   * @throws HearthError `adapter_not_found`, with the adapters that fit; `invalid_value` for one that does not fit;
   *   `corrupt_file` or `unsupported_format` for a file that is in the library but can't be used.
   */
  findAdapter(identifier: string, selection: ModelSelection): Promise<AdapterEntry>;
}
