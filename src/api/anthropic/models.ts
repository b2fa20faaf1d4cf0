import { getModelAnthropic, listModelsAnthropic, type AnthropicModel } from './model-schema.ts';
import type { InstanceSummary } from '../../engines/loads/instance-summary.ts';
import { invalidValue } from '../../kernel/errors/errors.ts';
import { mount, type App } from '../kit/mount.ts';
import {
  listNamedModels,
  type NamedModel,
  servingInstances,
  servicesFor,
} from '../kit/named-models.ts';
import type { ApiServices } from '../services.ts';

export function mountModels(app: App, services: ApiServices): void {
  const { pool, server } = services;
  const toModel = (instances: readonly InstanceSummary[], named: NamedModel): AnthropicModel => {
    const { id, model } = named;
    const [loaded] = servingInstances(services, instances, named);
    const contextLength = loaded?.config.contextLength ?? model.maxContextLength;
    return {
      type: 'model',
      id,
      display_name: model.displayName,
      created_at: server.startedAt.toISOString(),
      max_input_tokens: contextLength,
      max_tokens: contextLength,
      capabilities: {
        image_input: { supported: model.type === 'vlm' },
        structured_outputs: { supported: true },
        thinking: { supported: model.reasoning !== null },
      },
      line: null,
      lifecycle: 'active',
      deprecated_at: null,
      retires_at: null,
    };
  };

  mount(app, listModelsAnthropic, async ({ query, context }) => {
    const named = await listNamedModels(servicesFor(services, context.caller));
    const all = named.filter(({ model }) => model.type === 'llm' || model.type === 'vlm');
    const { page, hasMore } = toPage(all, query);
    const instances = pool.list();
    return {
      data: page.map((each) => toModel(instances, each)),
      has_more: hasMore,
      first_id: page.at(0)?.id ?? null,
      last_id: page.at(-1)?.id ?? null,
    };
  });

  mount(app, getModelAnthropic, async ({ params: { model: id }, context }) => {
    const found = await services.libraryFor(context.caller).find(id);
    return toModel(pool.list(), { ...found, id });
  });
}

interface Cursor {
  readonly limit: number;
  readonly after_id?: string | undefined;
  readonly before_id?: string | undefined;
}

/**
 * The page of models after or before a cursor; `hasMore` is true if more models follow in that direction.
 *
 * @throws HearthError `invalid_value` for a cursor that does not name a model.
 */
function toPage(
  models: readonly NamedModel[],
  { limit, after_id: after, before_id: before }: Cursor,
): { readonly page: readonly NamedModel[]; readonly hasMore: boolean } {
  const positionOf = (id: string, param: string): number => {
    const position = models.findIndex((model) => model.id === id);
    if (position !== -1) return position;
    throw invalidValue(param, `There is no model ${JSON.stringify(id)}.`);
  };
  const start = after === undefined ? 0 : positionOf(after, 'after_id') + 1;
  if (before !== undefined) {
    const end = positionOf(before, 'before_id');
    const from = Math.max(start, end - limit);
    return { page: models.slice(from, end), hasMore: from > start };
  }
  return { page: models.slice(start, start + limit), hasMore: start + limit < models.length };
}
