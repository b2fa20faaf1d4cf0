import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Download, Search } from 'lucide-react';
import { useState } from 'react';
import { call } from '../../../api/client.ts';
import { usePermissions } from '../../../api/permissions.ts';
import { modelsTexts } from '../../../texts/models.ts';
import { Button } from '../../../ui/button.tsx';
import { CheckField } from '../../../ui/check-field.tsx';
import { inputClass } from '../../../ui/field.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { Select } from '../../../ui/select.tsx';
import { ModelsFrame } from '../models-frame.tsx';
import { CatalogRow } from '../../../downloads/catalog-row.tsx';
import { useStartDownload } from '../../../downloads/download-queries.ts';
import { filterModels, noFilter, type CatalogFilter } from './filter-models.ts';

const labels = modelsTexts.search;
const route = getRouteApi('/models/discover');
/** Matches input that names a model exactly, such as a URL, instead of search words. */
const namePattern = /^(?:(?:ollama|docker|modelscope):|https?:\/\/)\S+$/i;

/** Searches the catalog and the model hub. */
export function DiscoverPage() {
  const { search } = route.useSearch();
  const [filter, setFilter] = useState(noFilter);
  const source = filter.source === 'modelscope' ? 'modelscope' : 'hub';
  const isName = namePattern.test(search ?? '');
  const query = useQuery({
    queryKey: ['catalog', source, search],
    queryFn: ({ signal }) =>
      call('get', '/api/v1/models/catalog', { query: { search, source, limit: 60 } }, { signal }),
    enabled: !isName,
    placeholderData: keepPreviousData,
  });
  return (
    <ModelsFrame>
      <SearchForm key={search} initial={search ?? ''} />
      <p className="-mt-3 text-xs text-muted">{labels.names}</p>
      {isName ? (
        <NamedModel name={search ?? ''} />
      ) : (
        <>
          <Filters filter={filter} onChange={setFilter} />
          <QueryView query={query}>
            {({ models, warning }) => {
              const shown = filterModels(models, filter);
              return (
                <div aria-busy={query.isFetching} className="flex flex-col gap-3">
                  {warning !== undefined && (
                    <Notice tone="warn">{`${labels.hubFailed}: ${warning.message}`}</Notice>
                  )}
                  <ul aria-label={modelsTexts.tabs.discover} className="flex flex-col gap-3">
                    {shown.map((model) => (
                      <CatalogRow key={`${model.source} ${model.id}`} model={model} />
                    ))}
                  </ul>
                  {shown.length === 0 && (
                    <p className="py-8 text-center text-sm text-muted">{labels.empty}</p>
                  )}
                </div>
              );
            }}
          </QueryView>
        </>
      )}
    </ModelsFrame>
  );
}

/** Offers to download the named model, since registries have no search. */
function NamedModel({ name }: { readonly name: string }) {
  const isAllowed = usePermissions()('models:write');
  const start = useStartDownload();
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 rounded-2xl border bg-raised px-4 py-3">
      <div className="min-w-0 flex-1 basis-64">
        <h3 className="text-[15px] font-semibold break-words">
          <bdi>{name}</bdi>
        </h3>
        <p className="mt-0.5 text-xs text-muted">{labels.namedHint}</p>
      </div>
      {isAllowed && (
        <Button
          size="small"
          aria-label={modelsTexts.downloadModel({ name })}
          disabled={start.isPending}
          onClick={() => start.mutate({ model: name })}
        >
          <Download size={15} aria-hidden />
          {modelsTexts.download}
        </Button>
      )}
    </div>
  );
}

function SearchForm({ initial }: { readonly initial: string }) {
  const navigate = route.useNavigate();
  const [words, setWords] = useState(initial);
  return (
    <form
      role="search"
      className="flex gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        void navigate({ search: words.trim() === '' ? {} : { search: words.trim() } });
      }}
    >
      <input
        type="search"
        aria-label={labels.label}
        placeholder={labels.placeholder}
        maxLength={200}
        className={inputClass}
        value={words}
        onChange={(event) => setWords(event.target.value)}
      />
      <Button type="submit" variant="primary">
        <Search size={16} aria-hidden />
        <span className="max-sm:sr-only">{labels.submit}</span>
      </Button>
    </form>
  );
}

function Filters({
  filter,
  onChange,
}: {
  readonly filter: CatalogFilter;
  readonly onChange: (filter: CatalogFilter) => void;
}) {
  return (
    <div className="-mt-3 flex flex-wrap items-center gap-x-3 gap-y-2">
      <Select
        label={labels.type}
        value={filter.type}
        options={{ all: labels.allTypes, ...modelsTexts.types }}
        onChange={(type) => onChange({ ...filter, type })}
      />
      <Select
        label={labels.source}
        value={filter.source}
        options={{
          all: labels.allSources,
          catalog: labels.catalog,
          hub: labels.hub,
          modelscope: labels.modelscope,
        }}
        onChange={(source) => onChange({ ...filter, source })}
      />
      <Select
        label={labels.order}
        value={filter.order}
        options={labels.orders}
        onChange={(order) => onChange({ ...filter, order })}
      />
      <CheckField
        label={labels.fitOnly}
        isChecked={filter.isFitOnly}
        onChange={(isFitOnly) => onChange({ ...filter, isFitOnly })}
      />
    </div>
  );
}
