import { describe, expect, it } from 'vitest';
import { modelEntry, modelSelection } from '../../../test/setup/models/model-entry.ts';
import { HearthError } from '../../kernel/errors/errors.ts';
import { removeModel } from './remove-model.ts';

const removal = {
  key: 'acme/tiny',
  repositoryName: 'acme/tiny-gguf',
  files: ['/models/tiny-q4.gguf', '/models/tiny-q8.gguf'],
};

interface Situation {
  /** Files that instances have loaded, by the instance's id. */
  readonly loaded?: Readonly<Record<string, readonly string[]>>;
  readonly underWay?: readonly string[];
  /** The error that the library throws. */
  readonly failure?: Error;
}

/** Removes a model; returns the result, or the error, and the names for which downloads were looked up. */
async function remove(
  { loaded = {}, underWay = [], failure }: Situation,
  identifier = 'acme/tiny',
) {
  const lookedUp: string[] = [];
  const result: unknown = await removeModel(
    {
      library: {
        remove: async (name, assertUnused) => {
          if (failure !== undefined) throw failure;
          await assertUnused(removal);
          return { name, freedBytes: 7 };
        },
      },
      pool: {
        list: () =>
          Object.entries(loaded).map(([id, files]) => {
            const { variant } = modelSelection();
            return { id, selection: { model: modelEntry(), variant: { ...variant, files } } };
          }),
      },
      downloads: {
        isUnderWay: async (name) => {
          lookedUp.push(name);
          return underWay.includes(name);
        },
      },
    },
    identifier,
  ).catch((error: unknown) => error);
  return { result, lookedUp };
}

describe('removeModel', () => {
  it('removes a model that nothing uses', async () => {
    const { result, lookedUp } = await remove({ loaded: { 'acme/other': ['/models/other.gguf'] } });
    expect(result).toEqual({ name: 'acme/tiny', freedBytes: 7 });
    expect(lookedUp).toEqual(['acme/tiny-gguf', 'acme/tiny']);
  });

  it('refuses one that is loaded, and says how to unload it', async () => {
    const loaded = {
      'acme/tiny': ['/models/tiny-q8.gguf', '/models/mmproj.gguf'],
      'acme/other': ['/models/other.gguf'],
      'acme/tiny:2': ['/models/tiny-q4.gguf'],
    };
    expect((await remove({ loaded })).result).toMatchObject({
      code: 'conflict',
      field: 'model',
      message:
        'acme/tiny is loaded as acme/tiny, acme/tiny:2. Unload it first: hearth unload acme/tiny',
    });
  });

  it.each(['acme/tiny-gguf', 'acme/tiny'])('refuses one that is downloaded as %s', async (name) => {
    expect((await remove({ underWay: [name] })).result).toMatchObject({
      code: 'conflict',
      field: 'model',
      message:
        'acme/tiny is being downloaded. Cancel the download first; `hearth download ls` shows it.',
    });
  });

  it('explains that a model which is not found is being downloaded', async () => {
    const failure = new HearthError('model_not_found', 'no model');
    const { result, lookedUp } = await remove({ failure, underWay: ['acme/new'] }, 'Acme/New@q8_0');
    expect(result).toMatchObject({ code: 'conflict', message: /^acme\/new is being downloaded/ });
    expect(lookedUp).toEqual(['acme/new']);
    expect((await remove({ failure })).result).toBe(failure);
  });

  it.each([new HearthError('conflict', 'elsewhere'), new TypeError('broken')])(
    'looks up no download for other errors (%s)',
    async (failure) => {
      expect(await remove({ failure, underWay: ['acme/tiny'] })).toEqual({
        result: failure,
        lookedUp: [],
      });
    },
  );
});
