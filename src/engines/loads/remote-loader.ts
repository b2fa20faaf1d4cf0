import type { EngineHandle } from '../engine.ts';
import type { Upstreams } from '../backends/remote/upstreams.ts';
import type { EngineLoader, LoadSpec } from './engine-loader.ts';
import { ggufOptions, refuseOptions, type InstanceConfig } from './load-options.ts';

/** The options of a load that decide how an engine of this machine works. */
const localOptions = [
  ...ggufOptions,
  'evalBatchSize',
  'threads',
  'parallel',
] as const satisfies readonly (keyof InstanceConfig)[];

/** Serves the models of remote servers. Such a model is ready at once and needs no memory. */
export class RemoteLoader implements EngineLoader {
  readonly format = 'remote';
  readonly #upstreams: Pick<Upstreams, 'open' | 'maxConcurrent'>;

  constructor(upstreams: Pick<Upstreams, 'open' | 'maxConcurrent'>) {
    this.#upstreams = upstreams;
  }

  /**
   * The whole context of the model, and as many slots as its server takes requests.
   *
   * @throws HearthError `invalid_value` for an option that only an engine of this machine has.
   */
  configure({ model }: LoadSpec['selection'], requested: Partial<InstanceConfig>): InstanceConfig {
    refuseOptions(
      requested,
      localOptions,
      `${model.key} runs on a remote server, which decides about its engine`,
    );
    return {
      contextLength: model.maxContextLength,
      parallel: this.#upstreams.maxConcurrent(upstreamOf(model)),
    };
  }

  async load({ selection, config }: LoadSpec): Promise<EngineHandle> {
    const { model, variant } = selection;
    return this.#upstreams.open(
      { upstream: upstreamOf(model), id: variant.path },
      config.contextLength,
    );
  }
}

function upstreamOf({ machine, publisher }: LoadSpec['selection']['model']): string {
  return machine ?? publisher;
}
