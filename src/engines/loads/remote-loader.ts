import type { EngineHandle } from '../engine.ts';
import type { Upstreams } from '../backends/remote/upstreams.ts';
import type { EngineLoader, LoadSpec } from './engine-loader.ts';
import { ggufOptions, refuseOptions, type InstanceConfig } from './load-options.ts';

/** Options of a load that only make sense for an engine on this machine. */
const localOptions = [
  ...ggufOptions,
  'evalBatchSize',
  'threads',
  'parallel',
] as const satisfies readonly (keyof InstanceConfig)[];

/** Serves the models of remote servers. They are ready at once and need no memory. */
export class RemoteLoader implements EngineLoader {
  readonly format = 'remote';
  readonly #upstreams: Pick<Upstreams, 'open' | 'maxConcurrent'>;

  constructor(upstreams: Pick<Upstreams, 'open' | 'maxConcurrent'>) {
    this.#upstreams = upstreams;
  }

  /**
   * Uses the model's whole context, and as many slots as its server may get concurrent requests.
   *
   * @throws HearthError `invalid_value` for an option that only makes sense for an engine on this machine.
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
