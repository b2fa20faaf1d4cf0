import { queryOptions, useQuery } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import { modelsTexts } from '../texts/models.ts';
import { formatBytes } from '../ui/bytes.ts';
import { Section } from '../ui/page.tsx';
import { CatalogRow } from './catalog-row.tsx';

export const recommendedQuery = queryOptions({
  queryKey: ['recommended'],
  queryFn: ({ signal }) =>
    call('get', '/api/v1/models/recommended', { query: { limit: 3 } }, { signal }),
});

/** Recommends downloads if the library has only the starter models. */
export function Recommended() {
  const { data } = useQuery(recommendedQuery);
  if (data === undefined || data.models.length === 0) return null;
  return (
    <Section
      title={modelsTexts.firstRun.title}
      description={modelsTexts.firstRun.hint({ memory: formatBytes(data.capacity_bytes) })}
    >
      <ul className="flex flex-col gap-3">
        {data.models.map((model) => (
          <CatalogRow key={model.id} model={model} />
        ))}
      </ul>
    </Section>
  );
}
