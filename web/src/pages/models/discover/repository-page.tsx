import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { ArrowLeft, Download } from 'lucide-react';
import type { HubRepositoryRecord } from '../../../../../src/api/v1/downloads/hub-repository-schema.ts';
import { call } from '../../../api/client.ts';
import { usePermissions } from '../../../api/permissions.ts';
import { modelsTexts } from '../../../texts/models.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { formatBytes } from '../../../ui/bytes.ts';
import { formatDate } from '../../../ui/dates.ts';
import { Markdown } from '../../../ui/markdown/markdown.tsx';
import { safeUrl } from '../../../ui/markdown/safe-url.ts';
import { Notice } from '../../../ui/notice.tsx';
import { Section } from '../../../ui/page.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { useStartDownload } from '../../../downloads/download-queries.ts';
import { FitBadge } from '../../../downloads/fit-badge.tsx';
import { LicenseBadge } from '../../../downloads/license-badge.tsx';
import { ModelsFrame } from '../models-frame.tsx';
import { formatCompact } from '../../../ui/numbers.ts';
import { separated } from '../../../ui/separated.ts';

const labels = modelsTexts.card;
const route = getRouteApi('/models/hub/$owner/$name');

/** A repository of the model hub or ModelScope: the builds to download and the model card. */
export function RepositoryPage() {
  const { owner, name } = route.useParams();
  const { source = 'hub' } = route.useSearch();
  const query = useQuery({
    queryKey: ['repository', source, owner, name],
    queryFn: ({ signal }) =>
      call(
        'get',
        '/api/v1/models/catalog/{owner}/{name}',
        { params: { owner, name }, query: { source } },
        { signal },
      ),
  });
  return (
    <ModelsFrame>
      <div>
        <Link
          to="/models/discover"
          className="inline-flex items-center gap-1.5 text-sm text-muted hover:text-text"
        >
          <ArrowLeft size={15} aria-hidden />
          {labels.back}
        </Link>
        <h2 className="mt-2 text-lg font-semibold break-words">{`${owner}/${name}`}</h2>
      </div>
      <QueryView query={query}>{(repository) => <Repository repository={repository} />}</QueryView>
    </ModelsFrame>
  );
}

function Repository({ repository }: { readonly repository: HubRepositoryRecord }) {
  const { builds, card, gated, tags } = repository;
  return (
    <>
      <div className="-mt-4 flex flex-col gap-2">
        <p className="flex flex-wrap items-center gap-2 text-sm text-muted">
          {separated(figuresOf(repository))}
          <LicenseBadge model={repository} />
        </p>
        <p className="flex flex-wrap gap-1">
          {tags.slice(0, 12).map((tag) => (
            <Badge key={tag}>{tag}</Badge>
          ))}
        </p>
        <HubLink url={repository.url} />
      </div>
      {gated && <Notice tone="warn">{labels.gated}</Notice>}
      <Section title={labels.builds}>
        {builds.length === 0 ? (
          <Notice>{labels.noBuilds}</Notice>
        ) : (
          <ul className="divide-y rounded-2xl border bg-raised">
            {builds.map((build, index) => (
              <BuildRow key={index} build={build} url={repository.url} />
            ))}
          </ul>
        )}
      </Section>
      <Section title={labels.title}>
        {card === null ? (
          <p className="text-sm text-muted">{labels.none}</p>
        ) : (
          <div className="rounded-2xl border bg-raised px-4 py-4 sm:px-6">
            <Markdown text={card.markdown} />
            {card.truncated && <p className="mt-4 text-sm text-muted">{labels.truncated}</p>}
          </div>
        )}
      </Section>
    </>
  );
}

function HubLink({ url }: { readonly url: string }) {
  const href = safeUrl(url);
  if (href === undefined) return null;
  return (
    <a
      href={href}
      target="_blank"
      rel="noreferrer noopener"
      className="self-start text-sm text-accent hover:underline"
    >
      {labels.onHub}
    </a>
  );
}

function figuresOf({ license, downloads, likes, updated_at }: HubRepositoryRecord) {
  const { search } = modelsTexts;
  return [
    license === null ? null : modelsTexts.licensed({ license }),
    downloads === null ? null : search.downloads({ count: formatCompact(downloads) }),
    likes === null ? null : search.likes({ count: formatCompact(likes) }),
    updated_at === null ? null : formatDate(updated_at),
  ].filter((figure) => figure !== null);
}

function BuildRow({
  build,
  url,
}: {
  readonly build: HubRepositoryRecord['builds'][number];
  readonly url: string;
}) {
  const isAllowed = usePermissions()('models:write');
  const start = useStartDownload();
  const name = build.quantization ?? labels.noChoice;
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
      <div className="min-w-0 flex-1 basis-56">
        <p className="flex flex-wrap items-center gap-2 text-sm font-medium">
          {name}
          <FitBadge fit={build.fits} />
          {build.default && <Badge tone="accent">{labels.recommended}</Badge>}
          {!build.complete && <Badge tone="warn">{labels.incomplete}</Badge>}
        </p>
        <p className="text-xs text-muted tabular-nums">
          {separated([
            formatBytes(build.size_bytes),
            labels.files({ files: build.files.length }),
            labels.memory({ size: formatBytes(build.estimated_bytes) }),
          ])}
        </p>
      </div>
      {isAllowed && (
        <Button
          size="small"
          variant={build.default ? 'primary' : 'secondary'}
          aria-label={modelsTexts.downloadModel({ name })}
          disabled={start.isPending || !build.complete}
          onClick={() =>
            start.mutate({
              model: url,
              ...(build.quantization === null ? {} : { quantization: build.quantization }),
            })
          }
        >
          <Download size={15} aria-hidden />
          {modelsTexts.download}
        </Button>
      )}
    </li>
  );
}
