import { Link } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import type { CatalogModelRecord } from '../../../src/api/v1/models/catalog-schema.ts';
import { usePermissions } from '../api/permissions.ts';
import { modelsTexts } from '../texts/models.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { formatBytes } from '../ui/bytes.ts';
import { formatDate } from '../ui/dates.ts';
import { useStartDownload } from './download-queries.ts';
import { FitBadge } from './fit-badge.tsx';
import { LicenseBadge } from './license-badge.tsx';
import { formatCompact } from '../ui/numbers.ts';
import { separated } from '../ui/separated.ts';

const labels = modelsTexts;

/** A model that can be downloaded. */
export function CatalogRow({ model }: { readonly model: CatalogModelRecord }) {
  const isAllowed = usePermissions()('models:write');
  const start = useStartDownload();
  const [owner = '', name = ''] = model.repository.split('/');
  const { type, fits, gated, description, source } = model;
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 rounded-2xl border bg-raised px-4 py-3">
      <div className="min-w-0 flex-1 basis-64">
        <div className="flex flex-wrap items-center gap-2">
          <h3 className="text-[15px] font-semibold break-words">
            <Link
              to="/models/hub/$owner/$name"
              params={{ owner, name }}
              search={source === 'modelscope' ? { source } : {}}
              className="hover:underline"
              aria-label={labels.search.card({ name: model.id })}
            >
              {model.id}
            </Link>
          </h3>
          {type !== undefined && <Badge>{labels.types[type]}</Badge>}
          {fits !== undefined && <FitBadge fit={fits} />}
          {gated === true && <Badge tone="warn">{labels.search.gated}</Badge>}
          <LicenseBadge model={model} />
        </div>
        {description !== undefined && (
          <p dir="auto" className="mt-0.5 text-sm">
            {description}
          </p>
        )}
        <p className="mt-0.5 text-xs break-words text-muted">{separated(figuresOf(model))}</p>
      </div>
      {isAllowed && (
        <Button
          size="small"
          aria-label={labels.downloadModel({ name: model.id })}
          disabled={start.isPending}
          onClick={() => start.mutate({ model: source === 'catalog' ? model.id : model.url })}
        >
          <Download size={15} aria-hidden />
          {labels.download}
        </Button>
      )}
    </li>
  );
}

function figuresOf(model: CatalogModelRecord): readonly string[] {
  return [
    ...(model.id === model.repository ? [] : [model.repository]),
    model.quantization,
    model.size_bytes === undefined ? undefined : formatBytes(model.size_bytes),
    model.expected_tokens_per_second === undefined
      ? undefined
      : labels.expectedSpeed({ speed: formatCompact(model.expected_tokens_per_second) }),
    model.license,
    model.downloads === undefined
      ? undefined
      : labels.search.downloads({ count: formatCompact(model.downloads) }),
    model.likes === undefined
      ? undefined
      : labels.search.likes({ count: formatCompact(model.likes) }),
    model.updated_at === undefined ? undefined : formatDate(model.updated_at),
  ].filter((figure) => figure !== undefined);
}
