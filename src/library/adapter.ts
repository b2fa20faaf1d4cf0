import type { AdapterFacts } from './gguf/adapter-facts.ts';
import type { ModelSelection } from './model.ts';

/** A LoRA adapter on disk. An engine applies its changes to the model's matrices at run time. */
export interface AdapterEntry extends Omit<AdapterFacts, 'name'> {
  /** `publisher/name`, lower case. */
  readonly key: string;
  readonly displayName: string;
  readonly path: string;
  readonly sizeBytes: number;
  /** Identifies the content: a changed file has another id. */
  readonly id: string;
}

export interface AdapterLibrary {
  /** Every readable adapter, by key. */
  listAdapters(): Promise<readonly AdapterEntry[]>;

  /** The adapters that fit a model, by key. */
  adaptersFor(selection: ModelSelection): Promise<readonly AdapterEntry[]>;

  /**
   * Finds an adapter that fits a model, by `publisher/name`, or by `name` alone if it is unambiguous; ignores case.
   *
   * @throws HearthError `adapter_not_found`, listing the adapters that fit; `invalid_value` if the adapter does not
   * fit; `corrupt_file` or `unsupported_format` if its file is unusable.
   */
  findAdapter(identifier: string, selection: ModelSelection): Promise<AdapterEntry>;
}
